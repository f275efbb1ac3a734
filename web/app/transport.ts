import { cacheExchange, fetchExchange, makeOperation, mapExchange } from '@urql/core'
import { answerFile } from './answer-file'

/** The folder of recorded answers, where there is no server: written into the page by `npm run demo`. */
const folder = document.querySelector<HTMLMetaElement>('meta[name="accord-answers"]')?.content

/** Whether answers are files instead of a server's. */
export const isRecorded = folder !== undefined

/** Reads the answer to an operation from the file that is named by the hash of its document and variables. */
const recorded = mapExchange({
  onOperation: (operation) =>
    makeOperation(operation.kind, operation, {
      ...operation.context,
      url: new URL(`${folder}/${answerFile(operation)}`, document.baseURI).href,
      fetch: readAnswer,
    }),
})

export const exchanges = isRecorded
  ? [recorded, cacheExchange, fetchExchange]
  : [cacheExchange, fetchExchange]

const NOT_RECORDED = {
  message: 'These are recorded answers, and this one is not among them. A server of your own answers it.',
  extensions: { code: 'NOT_RECORDED' },
}

/** Hosts of files know neither POST nor the types of GraphQL. */
async function readAnswer(url: RequestInfo | URL): Promise<Response> {
  const response = await fetch(url)
  const body = response.ok ? await response.text() : JSON.stringify({ data: null, errors: [NOT_RECORDED] })
  return new Response(body, { headers: { 'content-type': 'application/json' } })
}
