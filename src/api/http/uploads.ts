import type { IncomingMessage } from 'node:http'
import { AccordError } from '../../errors.js'
import { isHost } from '../../services/accounts/access.js'
import { requireScope, type Viewer } from '../../services/accounts/viewer.js'
import type { Accord } from '../../services/shared/accord.js'
import { type StoredUpload, storeUpload } from '../../services/uploads/uploads.js'
import { type ErrorCode, statusOf } from '../../shared/error-codes.js'
import { forbidden, LIMITS, refusal } from '../schema/limits.js'
import type { FileRules, Sender } from '../shared/context.js'
import { publicErrorLogged } from '../shared/mutation-error.js'
import { requireIdentity, tooSlow, within } from './request-body.js'

/** The largest file that is accepted. */
interface SizeLimit {
  readonly bytes: number
  /** The same as the user wrote it. */
  readonly text: string
  /** The option that sets it. */
  readonly option: string
}

const UNITS = { b: 1, kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 }

/** @param size a number with the unit b, kb, mb or gb */
function toBytes(size: string): number {
  const [, number, unit] = /^([\d.]+)(\w+)$/.exec(size.toLowerCase()) as RegExpExecArray
  return Number(number) * UNITS[unit as keyof typeof UNITS]
}

/** The largest files that are accepted of hosts, and of other users of a server with accounts. */
export interface SizeLimits {
  readonly ofHosts: SizeLimit
  readonly ofParticipants: SizeLimit
}

/** @param text such as `2gb` */
export function toLimit(option: string, text: string): SizeLimit {
  return { bytes: toBytes(text), text, option }
}

const limitOf = (limits: SizeLimits, viewer: Viewer) =>
  isHost(viewer) ? limits.ofHosts : limits.ofParticipants

/** Seconds to wait for more bytes of a file, and for all of them. */
const IDLE_SECONDS = LIMITS.bodySeconds
export const UPLOAD_SECONDS = 3600

/** Chunks of a file may be shorter than this many bytes on average only at its beginning: each takes 3 µs. */
const CHUNK_BYTES = 16
const FREE_CHUNKS = 10_000

/**
 * Uploads that were not imported may have the size of this many of the largest ones: those of one client, and those of all
 * participants together.
 */
const OWNED_LIMITS = 2
const PARTICIPANTS_LIMITS = 20

/** Characters of a file name that are stored: the last ones, because readers go by its ending. */
const MAX_NAME = 200

/** Content types that web pages of any origin may send without asking (Fetch standard, "CORS-safelisted"). */
const UNPROTECTED_TYPES = ['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data']

/** What is accepted of a client. */
export function fileRules(limits: SizeLimits, viewer: Viewer): FileRules {
  return { maximumBytes: limitOf(limits, viewer).bytes, timeoutSeconds: UPLOAD_SECONDS }
}

/**
 * Stores the body of a request as a file that mutations can import. The file is sent as it is, in any format and compression
 * that the command line reads; its name, which tells some formats apart, is the parameter `filename` of the address or of the
 * header Content-Disposition. The parameter `id` is one of {@link newUploadId}.
 *
 * @throws GraphQLError with an HTTP status
 */
export async function receiveUpload(
  accord: Accord,
  request: IncomingMessage,
  sender: Sender,
  limits: SizeLimits,
): Promise<StoredUpload> {
  try {
    return await receive(accord, request, sender, limits)
  } catch (error) {
    if (!request.readableDidRead) await discard(request)
    throw error
  }
}

/** What is read of a file that was refused before any of it was: most files arrive completely. */
const DISCARDED = { milliseconds: 1000, chunks: 1000 }

/**
 * Reads on for a moment. A connection that is closed while something arrives is reset, and a proxy that still sends the file
 * answers 502 instead of why it is refused.
 */
function discard(request: IncomingMessage): Promise<void> {
  return new Promise((resolve) => {
    let chunks = 0
    const timer = setTimeout(stop, DISCARDED.milliseconds)
    function take() {
      if (++chunks === DISCARDED.chunks) stop()
    }
    function stop() {
      clearTimeout(timer)
      request.off('data', take).off('end', stop).off('close', stop).pause()
      resolve()
    }
    request.on('data', take).on('end', stop).on('close', stop)
  })
}

async function receive(
  accord: Accord,
  request: IncomingMessage,
  sender: Sender,
  limits: SizeLimits,
): Promise<StoredUpload> {
  if (!sender.mayChange) throw forbidden(sender.isReadOnly)
  requireUploads(sender)
  const isParticipant = !isHost(sender.viewer)
  const limit = limitOf(limits, sender.viewer)
  checkHead(request, limit)
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(tooSlow('the file', UPLOAD_SECONDS)), UPLOAD_SECONDS * 1000)
  const signal = AbortSignal.any([sender.signal, late.signal])
  const upload = {
    id: idFrom(request),
    owner: sender.owner ?? '',
    name: nameFrom(request),
    announcedBytes: Number(request.headers['content-length'] ?? 0),
    limits: {
      owned: OWNED_LIMITS * limit.bytes,
      participants: isParticipant ? PARTICIPANTS_LIMITS * limit.bytes : null,
      room: isParticipant ? limits.ofHosts.bytes : 0,
    },
    signal,
  }
  try {
    return await storeUpload(accord, upload, bodyOf(request, limit, signal))
  } catch (error) {
    if (!(error instanceof AccordError)) throw error
    throw refusal(`${publicErrorLogged(error).message}.`, error.code, statusOfRefused(error.code))
  } finally {
    clearTimeout(timer)
  }
}

/** The status of a file that is not stored. No error is about its content yet: what is invalid is that of the database. */
function statusOfRefused(code: ErrorCode): number {
  const status = statusOf(code)
  return status === 400 ? statusOf('OVERLOADED') : status
}

/** Files are imported by hosts, and submitted by users. */
function requireUploads({ viewer }: Sender): void {
  try {
    requireScope(viewer, 'submit')
  } catch (error) {
    const { code, message } = error as AccordError
    throw refusal(`${message}.`, code)
  }
}

function checkHead({ method, headers }: IncomingMessage, limit: SizeLimit): void {
  if (method !== 'POST') throw refusal('Files are sent by POST.', 'BAD_REQUEST', 405)
  const [type] = (headers['content-type'] ?? '').toLowerCase().split(';')
  if (type.trim() === '' || UNPROTECTED_TYPES.includes(type.trim())) {
    const expected = 'expected a content-type of the file, such as application/octet-stream'
    throw refusal(`The file cannot be read: ${expected}, found ${type.trim() || 'none'}.`, 'BAD_REQUEST', 415)
  }
  requireIdentity(headers['content-encoding'])
  if (Number(headers['content-length'] ?? 0) > limit.bytes) throw tooLarge(limit)
}

/** The bytes of the file as they arrive. */
async function* bodyOf(
  request: IncomingMessage,
  limit: SizeLimit,
  signal: AbortSignal,
): AsyncGenerator<Buffer> {
  const chunks: AsyncIterator<Buffer> = request[Symbol.asyncIterator]()
  let bytes = 0
  for (let count = 1; ; count++) {
    const { value, done } = await within(IDLE_SECONDS, 'more bytes', chunks.next(), signal)
    if (done) return
    bytes += value.length
    if (bytes > limit.bytes) throw tooLarge(limit)
    if (count > FREE_CHUNKS && bytes < CHUNK_BYTES * count) throw tooShort()
    yield value
  }
}

function tooShort() {
  const message = `The file is sent in pieces that are too short: expected at least ${CHUNK_BYTES} bytes on average.`
  return refusal(message, 'BAD_REQUEST', 400)
}

function tooLarge({ text, option }: SizeLimit) {
  const message = `The file is too large: expected at most ${text}. The option ${option} of the server sets the maximum.`
  return refusal(message, 'BODY_TOO_LARGE')
}

function idFrom({ url = '' }: IncomingMessage): string | undefined {
  const id = new URL(url, 'http://localhost').searchParams.get('id')
  if (id === null || /^[\w-]{32}$/.test(id)) return id ?? undefined
  const found = JSON.stringify(id.slice(0, 100))
  throw refusal(`The parameter id: expected an upload of createUpload, found ${found}.`, 'BAD_REQUEST')
}

/** The name of the file without its folders. */
function nameFrom({ url = '', headers }: IncomingMessage): string {
  const given =
    new URL(url, 'http://localhost').searchParams.get('filename') ??
    fromDisposition(headers['content-disposition'] ?? '')
  const [name] = /[^/\\]*$/.exec(given) as RegExpExecArray
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they would garble messages
  return name.replace(/[\u0000-\u001f\u007f]/g, '').slice(-MAX_NAME) || 'upload'
}

/** `attachment; filename="a.json"; filename*=UTF-8''a.json` (RFC 6266) */
function fromDisposition(header: string): string {
  const encoded = /;\s*filename\*\s*=\s*UTF-8'[^']*'([^;\s]+)/i.exec(header)
  const [, quoted, plain] = /;\s*filename\s*=\s*(?:"([^"]*)"|([^;\s]+))/i.exec(header) ?? []
  try {
    return encoded ? decodeURIComponent(encoded[1]) : (quoted ?? plain ?? '')
  } catch {
    return ''
  }
}
