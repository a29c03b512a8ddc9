from django.db import migrations, models
from django.db.models import F


def take_over(apps, schema_editor):
    apps.get_model("leaderboard", "Bundle").objects.update(file_key=F("sha256"))


class Migration(migrations.Migration):

    dependencies = [
        ('leaderboard', '0011_queue_indexes'),
    ]

    operations = [
        migrations.AddField(
            model_name='bundle',
            name='file_key',
            field=models.CharField(editable=False, max_length=100, null=True, unique=True),
        ),
        migrations.RunPython(take_over, migrations.RunPython.noop),
        migrations.AlterField(
            model_name='bundle',
            name='sha256',
            field=models.CharField(db_index=True, max_length=64),
        ),
    ]
