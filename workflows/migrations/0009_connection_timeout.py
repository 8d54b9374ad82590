from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workflows", "0008_state_bound")]

    operations = [
        migrations.AddField(
            model_name="connection",
            name="timeout",
            field=models.FloatField(null=True),
        ),
    ]
