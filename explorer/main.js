// Opens GraphiQL with a tab for each example. scripts/build-explorer.js puts GraphiQL, WORKERS (names of files, by label)
// and EXAMPLES (documents) before it.
globalThis.MonacoEnvironment = { globalAPI: false, getWorkerUrl: (_id, label) => `graphql/${WORKERS[label]}` }

const examples = EXAMPLES.map((query) => ({ query }))
const linked = Object.fromEntries(new URLSearchParams(location.search))
const { query, variables } = linked.query ? linked : lastTab()

/** The tab that was open at the last visit: without it, GraphiQL would add an empty one. */
function lastTab() {
  const { tabs = [], activeTabIndex } = JSON.parse(localStorage.getItem('graphiql:tabState')) ?? {}
  return tabs[activeTabIndex] ?? {}
}

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
