import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import sirv from 'sirv'
import { projectFile } from '../../project.js'

/** The pages for people: files of this package that ask the GraphQL API. Nothing is loaded from other hosts. */
export interface Dashboard {
  /** Sends the page, which shows what its address names. */
  sendPage(response: ServerResponse): void
  /** @param path of the file, with a leading slash */
  sendFile(request: IncomingMessage, response: ServerResponse, path: string): void
}

/** Written by scripts/build-web.js. */
const FOLDER = projectFile('dist/web')

/** Scripts and styles of this server alone. Saved charts become pictures of the page itself. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "style-src 'self'",
  "img-src 'self' data: https:",
  "base-uri 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** @param prefix of all paths of the server, for example `/accord`, or nothing */
export function createDashboard(prefix: string): Dashboard {
  const files = sirv(FOLDER, {
    setHeaders: (response, path) =>
      // Names of files in this folder contain hashes of their contents.
      response.setHeader(
        'cache-control',
        path.startsWith('/assets/') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ),
  })
  let page: string | undefined
  return {
    sendPage(response) {
      page ??= readFileSync(`${FOLDER}/index.html`, 'utf8').replace(
        '<base href="/"',
        `<base href="${prefix}/"`,
      )
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.setHeader('cache-control', 'no-cache')
      response.setHeader('content-security-policy', POLICY)
      response.end(page)
    },
    sendFile(request, response, path) {
      request.url = path
      files(request, response)
    },
  }
}

/** Whether a path is one of the dashboard's pages. */
export function isPage(path: string): boolean {
  return path === '' || path === '/' || /^\/(d\/|composites\/|metrics$|jobs$|import$)/.test(path)
}
