import { readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import sirv from 'sirv'
import { projectFile } from '../../project.js'

/** GraphiQL for browsers, served from files of this package: nothing is loaded from other hosts. */
export interface Explorer {
  sendPage(response: ServerResponse): void
  /** @param path of the file, with a leading slash */
  sendFile(request: IncomingMessage, response: ServerResponse, path: string): void
}

/** Written by scripts/build-explorer.js. */
const FOLDER = projectFile('dist/explorer')

/**
 * What pages may load: files of this server alone. The editor writes style sheets into the page, and has its pictures and
 * fonts inside of them.
 */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "worker-src 'self'",
  "connect-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "font-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

export function createExplorer(): Explorer {
  // Names of files contain hashes of their contents.
  const files = sirv(FOLDER, { immutable: true, maxAge: 31_536_000 })
  let page: string | undefined
  return {
    sendPage(response) {
      page ??= readFileSync(`${FOLDER}/index.html`, 'utf8')
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.setHeader('cache-control', 'no-cache')
      response.setHeader('content-security-policy', POLICY)
      response.end(page)
    },
    sendFile(request, response, path) {
      request.url = path
      // Worker threads have the policy of their file.
      response.setHeader('content-security-policy', POLICY)
      files(request, response)
    },
  }
}

/** Whether a request for the GraphQL endpoint comes from the address bar of a browser; `?query=` is opened in a tab. */
export function wantsExplorer({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html')
}
