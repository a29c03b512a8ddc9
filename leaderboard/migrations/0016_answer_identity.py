from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [
        ("leaderboard", "0015_machine_index"),
    ]

    operations = [
        migrations.AddField(
            model_name="submission",
            name="answer_from",
            field=models.CharField(blank=True, default="", max_length=16),
            preserve_default=False,
        ),
    ]
