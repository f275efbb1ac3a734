import type { Server } from 'node:http'
import { AccordError } from '../../errors.js'

interface Address {
  readonly host: string
  readonly port: number
}

/**
 * Listens.
 *
 * @param option that names the port
 * @throws AccordError NOT_APPLICABLE if the port is in use or the address is not available
 */
export function listen(http: Server, address: Address, option = '--port'): Promise<void> {
  return new Promise((resolve, reject) => {
    http.once('error', (error: NodeJS.ErrnoException) => reject(listenError(error, address, option)))
    http.listen(address.port, address.host, resolve)
  })
}

function listenError(
  { code, message }: NodeJS.ErrnoException,
  { host, port }: Address,
  option: string,
): AccordError {
  switch (code) {
    case 'EADDRINUSE':
      return new AccordError('NOT_APPLICABLE', `port ${port} is in use; try ${option}`)
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new AccordError('NOT_APPLICABLE', `${host} is not an address of this machine; try --host`)
    case 'EACCES':
      return new AccordError('NOT_APPLICABLE', `port ${port} requires more permissions; try ${option}`)
    default:
      return new AccordError('NOT_APPLICABLE', 'the server cannot listen', {
        source: `${host}:${port}`,
        found: code ?? message,
      })
  }
}

/** An address as it stands in a URL. */
export function hostInUrl(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}
