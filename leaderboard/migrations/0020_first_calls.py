"""What a grading says of its own figures: first calls, times at the limit, size of constants, resolution of memory."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0019_suites'),
    ]

    operations = [
        migrations.AddField(
            model_name='result',
            name='const_kb',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='result',
            name='first_call',
            field=models.BooleanField(null=True),
        ),
        migrations.AddField(
            model_name='result',
            name='memory_resolution_mb',
            field=models.FloatField(null=True),
        ),
        migrations.AddField(
            model_name='result',
            name='unresolved',
            field=models.BooleanField(null=True),
        ),
    ]
