// Opens GraphiQL with a tab for each example, and shows the answer of the first. scripts/build-explorer.js puts GraphiQL,
// WORKERS (names of files, by label) and EXAMPLES (documents) before it.
globalThis.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_id, label) => `graphql/${WORKERS[label]}` }

/** The dataset of the examples. */
const EXAMPLE_DATASET = 'scenes'

const linked = Object.fromEntries(new URLSearchParams(location.search))

start()

async function start() {
  const examples = await listExamples()
  const { query, variables } = linked.query ? linked : lastTab()
  globalThis.YogaGraphiQL.renderYogaGraphiQL(document.getElementById('explorer'), {
    title: 'Accord',
    logo: '',
    shouldPersistHeaders: false,
    query: query ?? undefined,
    variables: variables ?? undefined,
    // Used if no tabs are stored.
    defaultTabs: linked.query ? [linked, ...examples] : examples,
    // The address keeps the link.
    onEditQuery() {},
  })
  // A link must not change anything by itself.
  if (!/\bmutation\b/.test(query ?? '')) runFirst()
}

/** The examples, about a dataset that exists. */
async function listExamples() {
  const response = await fetch('graphql', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ datasets { nodes { name } } }' }),
  })
  const { data } = await response.json()
  const names = data?.datasets.nodes.map(({ name }) => name) ?? []
  const name = names.includes(EXAMPLE_DATASET) ? EXAMPLE_DATASET : (names[0] ?? EXAMPLE_DATASET)
  const literal = JSON.stringify(name)
  return EXAMPLES.map((query) => ({
    query: query.replaceAll(JSON.stringify(EXAMPLE_DATASET), () => literal),
  }))
}

/** The tab that was open at the last visit: without it, GraphiQL would add an empty one. */
function lastTab() {
  const { tabs = [], activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState')) ?? {}
  return tabs[activeTabIndex] ?? {}
}

/** Executes the query of the open tab when GraphiQL has loaded the schema. */
function runFirst(attempts = 100) {
  const button = document.querySelector('button.graphiql-execute-button:not([disabled])')
  if (button && document.querySelector('.graphiql-query-editor .view-line')) button.click()
  else if (attempts > 0) setTimeout(runFirst, 100, attempts - 1)
}
