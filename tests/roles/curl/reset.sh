curl -X POST \
-H "Authorization: Bearer $TOKEN" \
https://your-instance.com/api/v1/agent-roles/:id/reset
