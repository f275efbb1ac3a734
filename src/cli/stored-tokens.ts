import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { AccordError } from '../errors.js'
import { belowServer } from './ask-server.js'

/** Tokens of servers, in a file that only the user can read. */
type Tokens = Readonly<Record<string, string>>

/** The token that `accord login` has stored for a server; undefined if there is none. */
export function storedToken(server: string): string | undefined {
  return readTokens()[keyOf(server)]
}

/** Stores a token for a server, or forgets it. @returns the path of the file */
export function storeToken(server: string, token: string | undefined): string {
  const file = tokenFile()
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const tokens = { ...readTokens(), [keyOf(server)]: token }
  // A new file: the mode of one that exists would stay as it is, and who has opened it would read on.
  const partial = `${file}.${process.pid}.partial`
  rmSync(partial, { force: true })
  writeFileSync(partial, `${JSON.stringify(tokens, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
  renameSync(partial, file)
  return file
}

function tokenFile(): string {
  const folder = process.env.XDG_CONFIG_HOME ?? process.env.APPDATA ?? join(homedir(), '.config')
  return join(folder, 'accord', 'tokens.json')
}

function readTokens(): Tokens {
  const file = tokenFile()
  try {
    return JSON.parse(readFileSync(file, 'utf8')) as Tokens
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return {}
    throw new AccordError('INVALID_JSON', 'the stored tokens cannot be read; remove the file and sign in', {
      source: file,
    })
  }
}

/** Servers below different paths are different ones. @throws AccordError INVALID_VALUE */
function keyOf(server: string): string {
  if (URL.canParse(server)) return belowServer(server, '').href
  throw new AccordError('INVALID_VALUE', 'not an address', {
    source: '--server',
    expected: 'an address such as https://accord.example/',
    found: JSON.stringify(server),
  })
}
