import { signInAddress } from '../app/sign-in-address'

/** Why a file was refused, and where in it. */
export interface FileFailure {
  readonly message: string
  readonly code?: string | null
  readonly place?: string | null
  readonly expected?: string | null
  readonly found?: string | null
}

interface DropFieldProps {
  /** Name of the file that was chosen. */
  readonly name?: string
  readonly isMultiple?: boolean
  readonly choose: (files: readonly File[]) => void
}

/** A field for a file or several, on which they can be dropped. */
export function DropField({ name, isMultiple = false, choose }: DropFieldProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field in it does the same
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        choose([...(event.dataTransfer?.files ?? [])])
      }}
    >
      <label>
        {isMultiple ? 'Drop files here, or choose them' : 'Drop a file here, or choose one'}{' '}
        <input
          type="file"
          multiple={isMultiple}
          onChange={({ currentTarget }) => {
            choose([...(currentTarget.files ?? [])])
            // A file that was repaired can be chosen again.
            currentTarget.value = ''
          }}
        />
      </label>
      {name && <p>{name}</p>}
    </div>
  )
}

/** How much of a file was sent. @param share 0 to 1; undefined while none is sent */
export function Sent({ share }: { readonly share: number | undefined }) {
  if (share === undefined) return null
  return (
    <p class="note">
      <progress value={share} max={1} aria-label="Upload" /> {Math.round(100 * share)} % sent
    </p>
  )
}

/** What is wrong with a file: the place, what was expected and what was found. */
export function RefusedFile({
  failure: { message, code, place, expected, found },
  losesFiles = false,
}: {
  readonly failure: FileFailure
  /** Whether files were chosen, which the page forgets when it is left. */
  readonly losesFiles?: boolean
}) {
  return (
    <div class="failure" role="alert">
      <p>
        {code === 'UNAUTHENTICATED' ? (
          <>
            {/* A link that loads the page anew: what is known of the viewer is not true any more. */}
            You are signed out. <a href={signInAddress()}>Sign in, and come back</a>
            {losesFiles && ': files that were chosen here have to be chosen again.'}
          </>
        ) : (
          message
        )}
      </p>
      {(place || expected || found) && (
        <dl class="facts">
          {place && (
            <div>
              <dt>place</dt>
              <dd>{place}</dd>
            </div>
          )}
          {expected && (
            <div>
              <dt>expected</dt>
              <dd>{expected}</dd>
            </div>
          )}
          {found && (
            <div>
              <dt>found</dt>
              <dd>{found}</dd>
            </div>
          )}
        </dl>
      )}
    </div>
  )
}

interface Upload {
  readonly id: string
  readonly sha256: string
}

/** Sends a file; what is said of the progress is a share from 0 to 1. @returns the upload, with the SHA-256 of the file */
export function uploadFile(file: File, onProgress: (share: number) => void): Promise<Upload> {
  // fetch does not say how much of a body was sent.
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', new URL(`uploads?filename=${encodeURIComponent(file.name)}`, document.baseURI))
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onerror = () =>
      reject(
        new Error(
          'The server does not answer, or the file was changed since it was chosen. Choose it again.',
        ),
      )
    request.onload = () => {
      const { id, sha256, errors } = answerOf(request)
      if (id && sha256) return resolve({ id, sha256 })
      const [error] = errors ?? [{ message: foreignAnswer(request.status, file.size) }]
      reject(Object.assign(new Error(error.message), { code: error.extensions?.code }))
    }
    request.send(file)
  })
}

interface UploadAnswer extends Partial<Upload> {
  readonly errors?: readonly { readonly message: string; readonly extensions?: { readonly code?: string } }[]
}

/** What the server says; nothing where another program has answered, with a page or another JSON. */
function answerOf({ responseText }: XMLHttpRequest): UploadAnswer {
  try {
    return JSON.parse(responseText) as UploadAnswer
  } catch {
    return {}
  }
}

/** What a proxy says that refuses a file, or does not reach the server. @param bytes of the file */
function foreignAnswer(status: number, bytes: number): string {
  return status === 413
    ? `A proxy before the server refuses a file of ${Math.ceil(bytes / 1e6)} MB: whoever runs it can raise its limit (client_max_body_size of nginx). Compressed by gzip, the file is smaller.`
    : `Another program than Accord has answered, with status ${status}: a proxy before the server refuses the file, or does not reach the server.`
}
