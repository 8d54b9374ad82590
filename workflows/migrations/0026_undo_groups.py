from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workflows", "0025_run_totals")]

    operations = [
        migrations.AddField(
            model_name="revision",
            name="group",
            field=models.CharField(blank=True, default="", max_length=64),
        ),
    ]
