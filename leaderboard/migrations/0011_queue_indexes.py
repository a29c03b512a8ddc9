from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0010_deleting'),
    ]

    operations = [
        migrations.AddIndex(
            model_name='result',
            index=models.Index(condition=models.Q(('is_current', True), ('public', True)), fields=['arch'], name='public_now'),
        ),
        migrations.AddIndex(
            model_name='result',
            index=models.Index(condition=models.Q(('public', True)), fields=['state', 'arch', 'created_at'], name='public_queue'),
        ),
        migrations.AddIndex(
            model_name='result',
            index=models.Index(condition=models.Q(('failure__gt', '')), fields=['state'], name='with_failure'),
        ),
        migrations.AddIndex(
            model_name='result',
            index=models.Index(fields=['submission', 'arch', 'state', 'is_current', 'verdict'], name='of_submission'),
        ),
    ]
