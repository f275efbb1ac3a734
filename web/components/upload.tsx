/** Why a file was refused, and where in it. */
export interface FileFailure {
  readonly message: string
  readonly place?: string | null
  readonly expected?: string | null
  readonly found?: string | null
}

interface DropFieldProps {
  readonly file: File | undefined
  readonly choose: (file: File | undefined) => void
}

/** A field for a file, on which it can be dropped. */
export function DropField({ file, choose }: DropFieldProps) {
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the field in it does the same
    <div
      class="drop"
      onDragOver={(event) => event.preventDefault()}
      onDrop={(event) => {
        event.preventDefault()
        choose(event.dataTransfer?.files[0])
      }}
    >
      <label>
        Drop a file here, or choose one{' '}
        <input type="file" onChange={({ currentTarget }) => choose(currentTarget.files?.[0])} />
      </label>
      {file && <p>{file.name}</p>}
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

/** Sends a file; what is said of the progress is a share from 0 to 1. @returns the id of the upload */
export function uploadFile(file: File, onProgress: (share: number) => void): Promise<string> {
  // fetch does not say how much of a body was sent.
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest()
    request.open('POST', new URL(`uploads?filename=${encodeURIComponent(file.name)}`, document.baseURI))
    request.setRequestHeader('content-type', 'application/octet-stream')
    request.upload.onprogress = ({ loaded, total }) => onProgress(loaded / total)
    request.onerror = () => reject(new Error('The server does not answer.'))
    request.onload = () => {
      const answer = JSON.parse(request.responseText) as { id?: string; errors?: { message: string }[] }
      if (answer.id) resolve(answer.id)
      else reject(new Error(answer.errors?.[0]?.message ?? `The server answered ${request.status}.`))
    }
    request.send(file)
  })
}
