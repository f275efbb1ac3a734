import { createGraphiQLFetcher } from '@graphiql/toolkit'
import { GraphiQL } from 'graphiql'
import 'graphiql/style.css'
import './explorer.css'
import { getOperationAST } from 'graphql'
import { createClient } from 'graphql-sse'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { TABS } from './tabs.ts'

// Names of the built files, by the label of the worker. Replaced by scripts/build-explorer.js.
const workers = WORKERS

globalThis.MonacoEnvironment = {
  getWorker: (_id, label) => new Worker(new URL(workers[label] ?? workers.editor, import.meta.url)),
}

const url = location.href.split(/[?#]/, 1)[0]
const fetchResult = createGraphiQLFetcher({ url })
const events = createClient({ url, retryAttempts: 0 })

/** Subscriptions are sent as server-sent events. The introspection query has no document. */
function fetcher(parameters, options) {
  const document = options?.documentAST
  const operation = document && getOperationAST(document, parameters.operationName)
  return operation?.operation === 'subscription'
    ? events.iterate(parameters)
    : fetchResult(parameters, options)
}

const logo = createElement(GraphiQL.Logo, null, createElement('span', { className: 'accord-logo' }, 'Accord'))
const explorer = createElement(
  GraphiQL,
  { fetcher, defaultTabs: TABS.map((query) => ({ query })), shouldPersistHeaders: false },
  logo,
)
createRoot(document.getElementById('explorer')).render(explorer)
