import { readdirSync, readFileSync } from 'node:fs'
import type { IncomingMessage, ServerResponse } from 'node:http'
import { extname, sep } from 'node:path'
import { projectFile } from '../../project.js'
import { refusal } from '../schema/limits.js'

/** A page for browsers and its files, all of this package: nothing is loaded from other hosts. */
export interface Pages {
  /** @param status 404 for an address that no page has: the page says so. Default: 200 */
  sendPage(response: ServerResponse, status?: 404): void
  /** @param path of the file, with a leading slash @throws GraphQLError NOT_FOUND */
  sendFile(response: ServerResponse, path: string): void
}

/** Files of this server alone. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]

/** GraphiQL, written by scripts/build-explorer.js. */
export function createExplorer(): Pages {
  return createPages('dist/explorer', [
    ...POLICY,
    // The editor writes style sheets into the page, and has its pictures and fonts inside of them.
    "style-src 'self' 'unsafe-inline'",
    "img-src 'self' data:",
    "font-src 'self' data:",
    "worker-src 'self'",
    "base-uri 'none'",
  ])
}

/**
 * The dashboard, written by scripts/build-web.js: a page that shows what its address names.
 *
 * @param prefix of all paths of the server, for example `/accord`, or nothing
 * @param accounts who may sign up to a server with accounts; nobody can sign in to one that is read-only
 */
export function createDashboard(prefix: string, accounts?: 'OPEN' | 'INVITED' | 'READ_ONLY'): Pages {
  return createPages(
    'dist/web',
    // Saved charts become pictures of the page; photographs of other hosts are loaded if the viewer agrees.
    [...POLICY, "style-src 'self'", "img-src 'self' data: https:", "base-uri 'self'"],
    (page) =>
      page
        .replace('<base href="/"', `<base href="${prefix}/"`)
        .replace('</head>', accounts ? `<meta name="accord-accounts" content="${accounts}" /></head>` : '$&'),
  )
}

/** The documentation, written by scripts/build-docs.js: pages without scripts. */
export function createDocumentation(): Pages {
  return createPages('dist/docs', [
    "default-src 'none'",
    "style-src 'self'",
    "img-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ])
}

/** Whether a request comes from the address bar of a browser. */
export function wantsPage({ method, headers }: IncomingMessage): boolean {
  return (method === 'GET' || method === 'HEAD') && (headers.accept ?? '').includes('text/html')
}

/** Whether a path is one of the dashboard's pages. */
export function isDashboardPage(path: string): boolean {
  return (
    path === '' ||
    path === '/' ||
    /^\/(d\/|composites\/|collect\/|challenges(\/|$)|(metrics|jobs|import|sign-in|sign-up|reset|account)$)/.test(
      path,
    )
  )
}

/** Types of the files by the ends of their names. */
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.graphql': 'text/plain; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.py': 'text/plain; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
}

/** Files are in memory when they have been sent once: a client can ask for more at a time than a process may open. */
function createPages(folder: string, policy: readonly string[], prepare = (page: string) => page): Pages {
  const root = projectFile(folder)
  const names = readdirSync(root, { recursive: true, encoding: 'utf8' })
  const paths = new Set(
    names.filter((name) => extname(name) in TYPES).map((name) => `/${name.replaceAll(sep, '/')}`),
  )
  const contents = new Map<string, Buffer>()

  function contentOf(path: string): Buffer {
    const known = contents.get(path)
    if (known) return known
    const content = readFileSync(`${root}${path}`)
    contents.set(path, content)
    return content
  }

  let page: string | undefined
  return {
    sendPage(response, status) {
      if (status !== undefined) response.statusCode = status
      page ??= prepare(readFileSync(`${root}/index.html`, 'utf8'))
      response.setHeader('content-type', 'text/html; charset=utf-8')
      response.setHeader('cache-control', 'no-cache')
      response.setHeader('content-security-policy', policy.join('; '))
      response.end(page)
    },
    sendFile(response, path) {
      if (!paths.has(path)) throw refusal('The server has no such file.', 'NOT_FOUND')
      response.setHeader('content-type', TYPES[extname(path)])
      // Names of scripts and styles contain hashes of their contents.
      const isKept = /-[\w-]{8}\.\w+$/.test(path)
      response.setHeader('cache-control', isKept ? 'public, max-age=31536000, immutable' : 'no-cache')
      // Worker threads have the policy of their file.
      response.setHeader('content-security-policy', policy.join('; '))
      response.end(contentOf(path))
    },
  }
}
