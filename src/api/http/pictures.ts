import type { IncomingMessage, ServerResponse } from 'node:http'
import { pipeline } from 'node:stream/promises'
import { hasCode } from '../../errors.js'
import type { Viewer } from '../../services/accounts/viewer.js'
import { openPictureFor, type ServedPicture } from '../../services/images/pictures.js'
import type { Accord } from '../../services/shared/accord.js'
import { refusal } from '../schema/limits.js'

/** Seconds for which browsers keep a picture without asking again. */
const KEPT_SECONDS = 3600

/** Vector graphics may have styles of their own, and run nothing. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; sandbox"

/** Bytes of a file from the first to the last one. */
interface Range {
  readonly start: number
  readonly end: number
}

/**
 * Sends the picture of an image: whole, in part, or nothing where the client has it.
 *
 * @param path of the picture: `/NAME/ID`, percent-encoded
 * @throws GraphQLError with an HTTP status
 */
export async function sendPicture(
  accord: Accord,
  { method, headers }: IncomingMessage,
  response: ServerResponse,
  viewer: Viewer,
  path: string,
): Promise<void> {
  if (method !== 'GET' && method !== 'HEAD') throw refusal('Pictures are read by GET.', 'BAD_REQUEST', 405)
  const picture = await openPictureFor(accord, viewer, namesIn(path)).catch((error) => {
    throw hasCode(error, 'UNKNOWN_IMAGE') ? unknownPicture() : error
  })
  try {
    const tag = `"${picture.bytes.toString(36)}-${Math.round(picture.changedAt).toString(36)}"`
    const range = rangeOf(headers, picture.bytes, tag)
    setHeaders(response, picture, tag)
    if (includesTag(headers['if-none-match'], tag)) response.writeHead(304).end()
    else if (range === 'UNSATISFIABLE')
      response.writeHead(416, { 'content-range': `bytes */${picture.bytes}` }).end()
    else await send(response, picture, range, method === 'HEAD')
  } finally {
    await picture.file.close()
  }
}

/** @throws GraphQLError NOT_FOUND */
function namesIn(path: string): { readonly dataset: string; readonly image: string } {
  const parts = path.split('/')
  if (parts.length !== 3) throw unknownPicture()
  try {
    return { dataset: decodeURIComponent(parts[1]), image: decodeURIComponent(parts[2]) }
  } catch {
    throw unknownPicture()
  }
}

const unknownPicture = () => refusal('The server has no such picture.', 'NOT_FOUND')

function setHeaders(
  response: ServerResponse,
  { type, changedAt, isPublic }: ServedPicture,
  tag: string,
): void {
  response.setHeader('content-type', type)
  response.setHeader('content-security-policy', POLICY)
  // Compression would change the bytes that a range counts.
  const audience = isPublic ? 'public' : 'private'
  response.setHeader('cache-control', `${audience}, max-age=${KEPT_SECONDS}, no-transform`)
  response.setHeader('accept-ranges', 'bytes')
  response.setHeader('etag', tag)
  response.setHeader('last-modified', new Date(changedAt).toUTCString())
}

async function send(
  response: ServerResponse,
  { file, bytes }: ServedPicture,
  range: Range | null,
  isHead: boolean,
): Promise<void> {
  const { start, end } = range ?? { start: 0, end: bytes - 1 }
  response.setHeader('content-length', end - start + 1)
  if (range) response.setHeader('content-range', `bytes ${start}-${end}/${bytes}`)
  response.statusCode = range ? 206 : 200
  if (isHead || bytes === 0) {
    response.end()
    return
  }
  // A client that has gone gets no error.
  await pipeline(file.createReadStream({ start, end, autoClose: false }), response).catch(() => {
    response.destroy()
  })
}

/**
 * What a client asks for of a file: one range of bytes (RFC 9110, section 14). Several ranges, other units and a range of an
 * earlier file are answered by the whole file: null.
 */
function rangeOf({ range, 'if-range': known }: IncomingMessage['headers'], bytes: number, tag: string) {
  const [, first = '', last = ''] = /^bytes=(\d*)-(\d*)$/.exec(range ?? '') ?? []
  if ((first === '' && last === '') || (known !== undefined && known !== tag)) return null
  const start = first === '' ? Math.max(0, bytes - Number(last)) : Number(first)
  const end = first === '' || last === '' ? bytes - 1 : Math.min(Number(last), bytes - 1)
  if (first !== '' && last !== '' && Number(last) < Number(first)) return null
  return start > end ? 'UNSATISFIABLE' : { start, end }
}

function includesTag(header: string | undefined, tag: string): boolean {
  const tags = (header ?? '').split(',').map((one) => one.trim().replace(/^W\//, ''))
  return tags.includes('*') || tags.includes(tag)
}
