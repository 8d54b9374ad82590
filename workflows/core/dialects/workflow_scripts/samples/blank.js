export const meta = {
  name: 'blank',
  description: 'One agent answers one question.',
}

return await agent('What does this repository do?', { label: 'answer', model: 'haiku' })
