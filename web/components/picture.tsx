import { Fragment } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { href, Link } from '../app/router'
import type { ImageCardFragment } from '../generated/documents'
import { Said } from './caption-text'

const KEY = 'accord photographs'
const EVENT = 'accord photographs'

/** Whether the viewer agreed to load photographs from other hosts, which then learn of the visit. */
export function usePhotographs(): [boolean, (isAllowed: boolean) => void] {
  // A document loads nothing.
  const [isAllowed, set] = useState(
    () => typeof window !== 'undefined' && localStorage.getItem(KEY) === 'yes',
  )
  useEffect(() => {
    const listen = () => set(localStorage.getItem(KEY) === 'yes')
    window.addEventListener(EVENT, listen)
    return () => window.removeEventListener(EVENT, listen)
  }, [])
  const change = (allowed: boolean) => {
    localStorage.setItem(KEY, allowed ? 'yes' : 'no')
    window.dispatchEvent(new Event(EVENT))
  }
  return [isAllowed, change]
}

/** Asks whether photographs may be loaded, where images have no picture here and addresses on other hosts. */
export function PhotographConsent({
  images,
}: {
  readonly images: readonly Pick<ImageCardFragment, 'picture' | 'url'>[]
}) {
  const [isAllowed, change] = usePhotographs()
  const urls = images.flatMap(({ picture, url }) => (!picture && url && URL.canParse(url) ? [url] : []))
  const hosts = [...new Set(urls.map((url) => new URL(url).host))]
  if (hosts.length === 0) return null
  return (
    <label class="note consent">
      <input
        type="checkbox"
        checked={isAllowed}
        onChange={({ currentTarget }) => change(currentTarget.checked)}
      />{' '}
      Load photographs from {hosts.join(', ')}
    </label>
  )
}

interface PictureProps {
  readonly image: ImageCardFragment
  readonly isLarge?: boolean
  /** Ids of boxes that are marked. */
  readonly marked?: ReadonlySet<string>
  readonly onPoint?: (boxId: string | undefined) => void
  /** Is told when the picture is there, and when it cannot be loaded. */
  readonly onShown?: (isShown: boolean) => void
}

/**
 * The picture that the server has, or the photograph where it may be loaded; otherwise, and where it cannot be loaded, the first
 * caption, large.
 */
export function Picture({ image, isLarge, marked, onPoint, onShown }: PictureProps) {
  const { picture, url, width, height, captions, boxes } = image
  const [isAllowed] = usePhotographs()
  const [failed, setFailed] = useState<string>()
  const address = picture ?? (isAllowed ? url : null)
  const caption = captions[0]?.text ?? ''
  const size = isLarge ? ' large' : ''
  if (address === null || address === failed)
    return (
      <p class={`caption-card${size}`}>
        {caption ? <Said language={image.dataset.language}>{caption}</Said> : 'no caption'}
      </p>
    )
  const photograph = (
    <img
      class={`picture${size}`}
      src={address}
      alt={caption}
      width={width ?? undefined}
      height={height ?? undefined}
      loading={isLarge ? 'eager' : 'lazy'}
      decoding="async"
      onLoad={() => onShown?.(true)}
      onError={() => {
        setFailed(address)
        onShown?.(false)
      }}
    />
  )
  if (!isLarge || !width || !height || boxes.length === 0) return photograph
  return (
    <div class="boxed">
      {photograph}
      <Boxes image={{ ...image, width, height }} marked={marked} onPoint={onPoint} />
    </div>
  )
}

interface BoxesProps extends Pick<PictureProps, 'marked' | 'onPoint'> {
  readonly image: ImageCardFragment & { readonly width: number; readonly height: number }
}

/** The boxes of a picture, above it: each says what it is, and those that are marked have a frame. Small ones are above large ones. */
function Boxes({ image: { width, height, boxes }, marked, onPoint }: BoxesProps) {
  const order = [...boxes].sort((a, b) => b.width * b.height - a.width * a.height)
  return (
    <svg class="boxes" viewBox={`0 0 ${width} ${height}`} preserveAspectRatio="none" aria-hidden="true">
      {order.map(({ externalId, label, x, y, ...size }) => (
        <rect
          key={externalId}
          x={x}
          y={y}
          width={size.width}
          height={size.height}
          data-box={externalId}
          class={marked?.has(externalId) ? 'marked' : undefined}
          onPointerEnter={onPoint && (() => onPoint(externalId))}
          onPointerLeave={onPoint && (() => onPoint(undefined))}
        >
          <title>{label}</title>
        </rect>
      ))}
    </svg>
  )
}

/** What an image is called; a long name wraps at what separates its parts. */
export function ImageName({
  image: { fileName, externalId },
}: {
  readonly image: Pick<ImageCardFragment, 'fileName' | 'externalId'>
}) {
  const parts = (fileName ?? externalId).split(/(?<=[_/-])|(?=\.)/)
  return parts.map((part, index) => (
    <Fragment key={index}>
      {index > 0 && <wbr />}
      {part}
    </Fragment>
  ))
}

interface ImageGridProps {
  readonly dataset: string
  readonly images: readonly ImageCardFragment[]
  /** What is said below an image. */
  readonly noteOf?: (image: ImageCardFragment) => string
  /** The caption of a system. */
  readonly captionOf?: (image: ImageCardFragment) => string | undefined
  /** Whether a grid above it asks for photographs. */
  readonly isContinued?: boolean
}

export function ImageGrid({ dataset, images, noteOf, captionOf, isContinued = false }: ImageGridProps) {
  return (
    <>
      {!isContinued && <PhotographConsent images={images} />}
      <ul class="images">
        {images.map((image) => (
          <li key={image.externalId}>
            <Link to={href('d', dataset, 'images', image.externalId)}>
              <Picture image={image} />
              {captionOf?.(image) && (
                <span class="said">
                  <Said language={image.dataset.language}>{captionOf(image)}</Said>
                </span>
              )}
              <span class="note">
                <ImageName image={image} />
                {noteOf && ` · ${noteOf(image)}`}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
