from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("workflows", "0018_token_scopes")]

    operations = [
        migrations.AddField(
            model_name="signinlink",
            name="skips_second_factor",
            field=models.BooleanField(default=False),
        ),
    ]
