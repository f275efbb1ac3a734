import { EXPLORER } from '../app/client'
import { Command, CopyButton } from './states'

/** How the figures of a chart came about. */
export interface Provenance {
  /** Signatures of the figures, each once. */
  readonly signatures: readonly (string | null | undefined)[]
  /** The command that prints the same figures, where there is one. */
  readonly command?: string
  /** The query, and its variables. */
  readonly query: { toString(): string }
  readonly variables: object
}

/** Signatures as lists of terms, the command line, and the query. */
export function HowComputed({ signatures, command, query, variables }: Provenance) {
  const distinct = [...new Set(signatures.filter((signature) => signature))] as string[]
  const parameters = new URLSearchParams({
    query: query.toString().trim(),
    variables: JSON.stringify(variables),
  })
  return (
    <details class="how">
      <summary>How computed</summary>
      {distinct.map((signature) => (
        <div key={signature}>
          <dl>
            {signature.split('|').map((part) => {
              const colon = part.indexOf(':')
              return colon < 0 ? (
                <div key={part}>
                  <dt>metric</dt>
                  <dd>{part}</dd>
                </div>
              ) : (
                <div key={part}>
                  <dt>{part.slice(0, colon)}</dt>
                  <dd>{part.slice(colon + 1)}</dd>
                </div>
              )
            })}
          </dl>
          <CopyButton text={signature} what="signature" />
        </div>
      ))}
      {command && <Command text={command} />}
      {EXPLORER && (
        <p>
          <a href={`${EXPLORER}?${parameters}`}>The query in the explorer</a>
        </p>
      )}
    </details>
  )
}
