/** Why a file was refused, and where in it. */
export interface FileFailure {
  readonly message: string
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
          onChange={({ currentTarget }) => choose([...(currentTarget.files ?? [])])}
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
  failure: { message, place, expected, found },
}: {
  readonly failure: FileFailure
}) {
  return (
    <div class="failure" role="alert">
      <p>{message}</p>
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
    request.onerror = () => reject(new Error('The server does not answer.'))
    request.onload = () => {
      const answer = JSON.parse(request.responseText) as Partial<Upload> & { errors?: { message: string }[] }
      if (answer.id && answer.sha256) resolve({ id: answer.id, sha256: answer.sha256 })
      else reject(new Error(answer.errors?.[0]?.message ?? `The server answered ${request.status}.`))
    }
    request.send(file)
  })
}
