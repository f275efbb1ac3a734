import { useEffect, useState } from 'preact/hooks'
import { href, Link } from '../app/router'
import type { ImageCardFragment } from '../generated/documents'

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

/** Asks whether photographs may be loaded, where images have addresses on other hosts. */
export function PhotographConsent({ urls }: { readonly urls: readonly (string | null)[] }) {
  const [isAllowed, change] = usePhotographs()
  const hosts = [...new Set(urls.flatMap((url) => (url && URL.canParse(url) ? [new URL(url).host] : [])))]
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
  /** Ids of boxes that are marked in a drawn scene. */
  readonly marked?: ReadonlySet<string>
  readonly onPoint?: (boxId: string | undefined) => void
}

/** The photograph where it may be loaded, or the scene that its boxes describe; otherwise the first caption, large. */
export function Picture({ image, isLarge, marked, onPoint }: PictureProps) {
  const { url, width, height, captions, boxes } = image
  const [isAllowed] = usePhotographs()
  const Scene = useScene(!url && boxes.length > 0)
  const caption = captions[0]?.text ?? ''
  const size = isLarge ? ' large' : ''
  if (url && isAllowed) {
    return (
      <img
        class={`picture${size}`}
        src={url}
        alt={caption}
        width={width ?? undefined}
        height={height ?? undefined}
        loading="lazy"
      />
    )
  }
  if (Scene && width && height) {
    return (
      <div class={`picture${size}`}>
        <Scene image={{ ...image, width, height }} label={caption} marked={marked} onPoint={onPoint} />
      </div>
    )
  }
  // A scene that is still loading will have the place of its card.
  const isComing = !url && boxes.length > 0 && width && height
  const shape = isLarge && isComing ? { aspectRatio: `${width} / ${height}`, minHeight: 0 } : undefined
  return (
    <p class={`caption-card${size}`} style={shape}>
      {caption || 'no caption'}
    </p>
  )
}

type SceneComponent = typeof import('../scenes/scene').Scene

let scene: SceneComponent | undefined

/** Loads what draws scenes, once. */
export async function loadScenes(): Promise<void> {
  scene ??= (await import('../scenes/scene')).Scene
}

/** What draws scenes, loaded when the first one is shown. */
function useScene(isNeeded: boolean): SceneComponent | undefined {
  const [, show] = useState(false)
  const drawn = scene
  useEffect(() => {
    // Another picture may have loaded it since this one was drawn without.
    if (!isNeeded || drawn) return
    let isShown = true
    void loadScenes().then(() => isShown && show(true))
    return () => {
      isShown = false
    }
  }, [isNeeded])
  return isNeeded ? drawn : undefined
}

interface ImageGridProps {
  readonly dataset: string
  readonly images: readonly ImageCardFragment[]
  /** What is said below an image. */
  readonly noteOf?: (image: ImageCardFragment) => string
  /** Whether a grid above it asks for photographs. */
  readonly isContinued?: boolean
}

export function ImageGrid({ dataset, images, noteOf, isContinued = false }: ImageGridProps) {
  return (
    <>
      {!isContinued && <PhotographConsent urls={images.map(({ url }) => url)} />}
      <ul class="images">
        {images.map((image) => (
          <li key={image.externalId}>
            <Link to={href('d', dataset, 'images', image.externalId)}>
              <Picture image={image} />
              <span class="note">
                {image.externalId}
                {noteOf && ` · ${noteOf(image)}`}
              </span>
            </Link>
          </li>
        ))}
      </ul>
    </>
  )
}
