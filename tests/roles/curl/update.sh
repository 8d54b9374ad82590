curl -X PATCH \
-H "Authorization: Bearer $TOKEN" \
-H "Content-Type: application/json" \
-d '{
"prompt_config": {
"system_prompt": "You are a code reviewer...",
"developer_prompt": "",
"templates": {
"ticket_task": "Review the code for: {{ ticket.title }}",
"chat_task": "{{ chat.message }}",
"gate_eval": "Evaluate: {{ gate.criteria }}"
},
"output_templates": {
"agent_done": "Review complete.",
"gate_pass": "PASS",
"gate_fail": "FAIL"
},
"memory_profile": {}
}
}' \
https://your-instance.com/api/v1/agent-roles/:id/prompt
