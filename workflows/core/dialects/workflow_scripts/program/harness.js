// The runtime of a rehearsal: the eight names, answers from outside, no clock and no chance.
// Evaluates to a function (body, args, settings) that returns step(answer).
(body, argsText, settingsText) => {
  const settings = JSON.parse(settingsText)
  const missing = []
  const notes = []
  // The value, with a note of each property that is read and not there.
  const traced = (value, path) =>
    value === null || typeof value !== 'object'
      ? value
      : new Observer(value, {
          get(target, name) {
            const inner = Reflect.get(target, name)
            if (typeof name !== 'string' || name === 'toJSON') return inner
            if (!(name in target)) missing.push([...path, name])
            return Object.hasOwn(target, name) ? traced(inner, [...path, name]) : inner
          },
        })
  const Observer = Proxy
  const given = argsText === '' ? undefined : JSON.parse(argsText)
  const args = settings.traced ? traced(given, []) : given
  const AsyncFunction = Object.getPrototypeOf(async function () {}).constructor
  const parse = JSON.parse
  const stringify = JSON.stringify
  const now = Date.now
  let active = 0
  let since = now()
  const queue = []
  const sites = {}
  let count = 0
  let spent = 0
  let phaseTitle = null
  let ended = false
  let failure = null
  let result = null

  const text = (value) => {
    try {
      return typeof value === 'string' ? value : (stringify(value) ?? String(value))
    } catch {
      return '[value without text]'
    }
  }
  const note = (message) => {
    if (notes.length < 20) notes.push(message.slice(0, 500))
  }
  const ask = (kind, site, prompt, options) =>
    new Promise((resolve, reject) => {
      if (count >= settings.cap) return reject(new Error(`A run has at most ${settings.cap} agents.`))
      if (settings.budget !== null && spent >= settings.budget) return reject(new Error('The token budget is spent.'))
      count += 1
      sites[site] = (sites[site] ?? 0) + 1
      const given = options && typeof options === 'object' ? options : {}
      queue.push({
        resolve,
        reject,
        call: {
          kind,
          site,
          prompt: text(prompt).slice(0, 100000),
          label: text(given.label ?? ''),
          phase: text(given.phase ?? phaseTitle ?? ''),
          model: text(given.model ?? ''),
          schema: given.schema === undefined ? null : given.schema,
          args: kind === 'workflow' ? (options ?? null) : null,
        },
      })
    })
  const agentAt = (site) => (prompt, options) => ask('agent', site, prompt, options)
  const items = (list) => {
    const copy = Array.from(list)
    if (copy.length > 4096) throw new Error('A fan-out has at most 4096 items.')
    return copy
  }
  const parallel = async (thunks) =>
    Promise.all(
      items(thunks).map(async (thunk) => {
        try {
          return (await (typeof thunk === 'function' ? thunk() : thunk)) ?? null
        } catch (error) {
          note(text(error?.message))
          return null
        }
      }),
    )
  const pipeline = async (list, ...stages) =>
    Promise.all(
      items(list).map(async (item, index) => {
        let value = item
        try {
          for (const stage of stages) value = await stage(value, item, index)
        } catch (error) {
          note(text(error?.message))
          return null
        }
        return value ?? null
      }),
    )
  const log = (...parts) => note(parts.map(text).join(' '))
  const phase = (title) => {
    phaseTitle = text(title)
  }
  const workflow = (name, given) => ask('workflow', -1, name, given)
  const budget = {
    total: settings.budget,
    spent: () => spent,
    remaining: () => (settings.budget === null ? Infinity : Math.max(0, settings.budget - spent)),
  }
  const names = { agent: agentAt(-1), parallel, pipeline, phase, log, args, budget, workflow, agentAt, console: { log } }
  let run
  try {
    run = new AsyncFunction(...Object.keys(names).map((name) => (name === 'agentAt' ? '__agent' : name)), body)
  } catch (error) {
    failure = text(error?.message)
    ended = true
  }

  // Only what follows is visible to the script.
  const refuse = (what) => () => {
    throw new Error(`${what} is not available in a workflow script.`)
  }
  for (const maker of [function () {}, async function () {}, function* () {}, async function* () {}]) {
    Object.defineProperty(Object.getPrototypeOf(maker), 'constructor', { value: refuse('Function()') })
  }
  globalThis.eval = refuse('eval()')
  globalThis.Function = refuse('Function()')
  for (const name of ['Proxy', 'Atomics', 'SharedArrayBuffer', 'WebAssembly', 'std', 'os', 'bjson', 'print', 'performance']) {
    delete globalThis[name]
  }
  if (!settings.lenient) {
    const Clock = Date
    const Fixed = function (...given) {
      if (!new.target || given.length === 0) throw new Error('The clock is not available in a workflow script.')
      return Reflect.construct(Clock, given, new.target)
    }
    Fixed.prototype = Clock.prototype
    Fixed.parse = Clock.parse
    Fixed.UTC = Clock.UTC
    Fixed.now = refuse('Date.now()')
    Object.defineProperty(Clock.prototype, 'constructor', { value: Fixed })
    globalThis.Date = Fixed
    Math.random = refuse('Math.random()')
  }

  if (!ended) {
    run(...Object.values(names)).then(
      (value) => {
        ended = true
        try {
          result = parse(stringify(value ?? null) ?? 'null')
        } catch {
          result = null
        }
      },
      (error) => {
        ended = true
        failure = text(error?.message ?? error) || 'The script threw.'
      },
    )
  }
  return (answerText) => {
    if (answerText === 'elapsed') return active + now() - since
    if (answerText === 'sites') return stringify(sites)
    if (answerText === 'reads') return stringify([missing, notes])
    if (answerText !== '') {
      since = now()
      const answer = parse(answerText)
      const waiting = queue.shift()
      spent += settings.tokens
      if (answer.throws !== undefined) waiting.reject(new Error(answer.throws))
      else waiting.resolve(answer.value)
      return ''
    }
    active += now() - since
    since = now()
    const next = queue[0]?.call ?? null
    let shown
    try {
      shown = stringify({ ended, failure, result, next, elapsed: active })
    } catch {
      shown = stringify({ ended, failure, result, next: next && { ...next, schema: null, args: null }, elapsed: active })
    }
    return shown
  }
}
