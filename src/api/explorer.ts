import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import express, { type Router } from 'express'

const require = createRequire(import.meta.url)

/** The initial query of the explorer. */
export const FIRST_QUERY = `# How much do people agree on words,
# and how do systems compare?
{
  datasets {
    name
    imageCount
    captionCount
    words(first: 10, filter: { partOfSpeech: [NN] }) {
      nodes {
        text
        countHistogram
        human { precision recall }
      }
    }
    leaderboard(by: PHR) {
      rank
      isHuman
      system { name }
      value
      wordCount
    }
  }
}
`

/** GraphiQL for browsers, served from installed packages: nothing is loaded from other hosts. */
export function explorer(): Router {
  const router = express.Router()
  const page = html()
  for (const [name, path] of Object.entries(ASSETS)) {
    router.get(`/${name}`, (_request, response) => response.sendFile(path, { maxAge: '1d' }))
  }
  router.get('/', (request, response, next) => {
    const wantsPage = request.query.query === undefined && request.accepts('json', 'html') === 'html'
    if (wantsPage) response.type('html').send(page)
    else next()
  })
  return router
}

const ASSETS = {
  'react.js': packageFile('react', 'umd/react.production.min.js'),
  'react-dom.js': packageFile('react-dom', 'umd/react-dom.production.min.js'),
  'graphiql.js': packageFile('graphiql', 'graphiql.min.js'),
  'graphiql.css': packageFile('graphiql', 'graphiql.min.css'),
}

function packageFile(name: string, path: string): string {
  return join(dirname(require.resolve(`${name}/package.json`)), path)
}

function html(): string {
  const query = JSON.stringify(FIRST_QUERY).replaceAll('<', '\\u003c')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8" />
    <title>Accord</title>
    <link rel="icon" href="data:," />
    <link rel="stylesheet" href="/graphql/graphiql.css" />
    <style>
      body { margin: 0; }
      #explorer { height: 100vh; }
    </style>
  </head>
  <body>
    <div id="explorer">Loading …</div>
    <script src="/graphql/react.js"></script>
    <script src="/graphql/react-dom.js"></script>
    <script src="/graphql/graphiql.js"></script>
    <script>
      const fetcher = GraphiQL.createFetcher({ url: '/graphql' })
      const props = { fetcher, defaultQuery: ${query}, shouldPersistHeaders: false }
      ReactDOM.createRoot(document.getElementById('explorer')).render(React.createElement(GraphiQL, props))
    </script>
  </body>
</html>
`
}
