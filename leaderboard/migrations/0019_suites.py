"""Kernels that are scored together have a suite; existing kernels are in the first one."""

from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0018_leases'),
    ]

    operations = [
        migrations.AddField(
            model_name='kernel',
            name='suite',
            field=models.CharField(db_index=True, default='arch-kernels-v1', max_length=64),
        ),
    ]
