import type { Accord } from '../../src/services/shared/accord.js'
import { alone, storeUpload } from '../../src/services/uploads/uploads.js'

/** Stores a file like `POST /uploads`. Objects are written as JSON. @returns the id */
export async function uploadOf(
  accord: Accord,
  content: string | Buffer | object,
  name = 'upload',
  owner = 'anna',
): Promise<string> {
  const isRaw = typeof content === 'string' || Buffer.isBuffer(content)
  const bytes = Buffer.from(isRaw ? content : JSON.stringify(content))
  async function* body() {
    yield bytes
  }
  const signal = new AbortController().signal
  const settings = { owner, name, announcedBytes: bytes.length, limits: alone(1e9), signal }
  return (await storeUpload(accord, settings, body())).id
}

/**
 * Sends a file to `/uploads` of a server. Objects are sent as JSON.
 *
 * @param url of its GraphQL endpoint
 * @returns the id
 */
export async function sendFile(url: string, content: string | object, name = 'upload'): Promise<string> {
  const response = await fetch(new URL(`uploads?filename=${encodeURIComponent(name)}`, url), {
    method: 'POST',
    headers: { 'content-type': 'application/octet-stream' },
    body: typeof content === 'string' ? content : JSON.stringify(content),
  })
  return ((await response.json()) as { readonly id: string }).id
}
