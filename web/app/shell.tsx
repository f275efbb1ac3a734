import type { ComponentType } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { Help } from '../components/help'
import { NotFound, Skeleton, useRecovery } from '../components/states'
import { WhoDocument } from '../generated/documents'
import { accounts } from './accounts'
import { EXPLORER, useQuery } from './client'
import { href, Link, navigate, type Parameters, type Route, useLocation } from './router'
import { findRoute } from './routes'
import { signInAddress } from './sign-in-address'
import { isRecorded } from './transport'

const SECTIONS = [
  { path: [], title: 'Systems' },
  { path: ['words'], title: 'Words' },
  { path: ['images'], title: 'Images' },
  { path: ['explore'], title: 'Table' },
  { path: ['agreement'], title: 'Agreement' },
  { path: ['selection'], title: 'Objects' },
  { path: ['bounds'], title: 'Bounds' },
] as const

/** The header of all pages, and the page of the address. */
export function Shell() {
  const { path } = useLocation()
  const found = findRoute(path)
  const dataset = found?.parameters.dataset
  const [isOpen, setOpen] = useState(false)
  useShortcuts(dataset)
  useTitle(dataset)
  useEffect(() => setOpen(false), [path])
  return (
    <>
      <a class="skip" href="#main">
        Skip to the content
      </a>
      <header class={isOpen ? 'open' : undefined}>
        <Link to={href()} class="brand">
          Accord
        </Link>
        {dataset && <strong title={dataset}>{dataset}</strong>}
        <button type="button" class="menu" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          Menu
        </button>
        {dataset && (
          <nav aria-label={`Dataset ${dataset}`}>
            {SECTIONS.map((section) => {
              const to = href('d', dataset, ...section.path)
              return (
                <Link
                  key={section.title}
                  to={to}
                  current={href(...path.split('/').map(decodeURIComponent)) === to}
                >
                  {section.title}
                </Link>
              )
            })}
          </nav>
        )}
        <nav aria-label="Everything" class="everything">
          <Link to={href('challenges')} current={path.split('/')[0] === 'challenges'}>
            Challenges
          </Link>
          <Link to={href('metrics')} current={path === 'metrics'}>
            Metrics
          </Link>
          <Link to={href('jobs')} current={path === 'jobs'}>
            Jobs
          </Link>
          <Link to={href('import')} current={path === 'import'}>
            Import
          </Link>
          {EXPLORER && <a href={EXPLORER}>Explorer</a>}
          {EXPLORER && <a href="docs/">Docs</a>}
          {accounts && <Viewer path={path} />}
        </nav>
      </header>
      <main id="main">
        {isRecorded && (
          <p class="note">
            These are recorded answers: everything here is as it was when the pages were written.
          </p>
        )}
        {found?.route.isLive && isRecorded ? (
          <NotFound title="This page needs a server.">
            <code>npm start</code> starts one, with the same data. <Link to={href()}>All datasets</Link>
          </NotFound>
        ) : found ? (
          <Page key={path} load={found.route.load} parameters={found.parameters} />
        ) : (
          <NotFound title="There is no page here.">
            <Link to={href()}>All datasets</Link>
          </NotFound>
        )}
      </main>
      <Help />
    </>
  )
}

/** Who has signed in, or where to. */
function Viewer({ path }: { readonly path: string }) {
  const { data } = useQuery(WhoDocument, {})
  if (!data) return null
  const { user } = data.viewer
  if (user) {
    return (
      <Link to={href('account')} current={path === 'account'}>
        {user.name}
      </Link>
    )
  }
  const isSigningIn = path === 'sign-in' || path === 'sign-up' || path === 'reset'
  return (
    <Link to={isSigningIn ? href('sign-in') : signInAddress()} current={path === 'sign-in'}>
      Sign in
    </Link>
  )
}

const RELOADED = 'accord reloaded'

/** Pages that cannot be loaded are loaded anew by themselves at most this often. */
const RELOAD_MS = 60_000

const lastReload = () => Number(sessionStorage.getItem(RELOADED) ?? 0)

/** Browsers remember scripts that failed: only the whole page can be loaded anew. */
function reload(): void {
  sessionStorage.setItem(RELOADED, String(Date.now()))
  window.location.reload()
}

/** The title of the window is that of the page, with the dataset. */
function useTitle(dataset: string | undefined): void {
  useEffect(() => {
    const main = document.getElementById('main') as HTMLElement
    const tell = () => {
      const title = main.querySelector('h1')?.textContent
      document.title = [title, dataset, 'Accord'].filter(Boolean).join(' · ')
    }
    tell()
    const observer = new MutationObserver(tell)
    observer.observe(main, { childList: true, subtree: true, characterData: true })
    return () => observer.disconnect()
  }, [dataset])
}

const loaded = new Map<Route['load'], ComponentType<Parameters>>()

function Page({ load, parameters }: { readonly load: Route['load']; readonly parameters: Parameters }) {
  const [, show] = useState(0)
  const [hasFailed, setFailed] = useState(false)
  const isShown = useRef(true)
  useRecovery(hasFailed && Date.now() - lastReload() > RELOAD_MS, reload)
  useEffect(() => {
    isShown.current = true
    if (!loaded.has(load)) {
      load().then(
        (module) => {
          loaded.set(load, module.default)
          if (isShown.current) show((number) => number + 1)
        },
        () => setFailed(true),
      )
    }
    return () => {
      isShown.current = false
    }
  }, [load])
  const Content = loaded.get(load)
  if (hasFailed) {
    return (
      <NotFound title="This page could not be loaded.">
        The server did not answer, or has a new version.{' '}
        <button type="button" onClick={reload}>
          Try again
        </button>
      </NotFound>
    )
  }
  return Content ? <Content {...parameters} /> : <Skeleton height={600} />
}

/** `/` searches: the field of the page, or the images of the dataset. */
function useShortcuts(dataset: string | undefined): void {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const { tagName } = event.target as HTMLElement
      if (event.key !== '/' || event.ctrlKey || event.metaKey || /INPUT|TEXTAREA|SELECT/.test(tagName)) return
      const field = document.querySelector<HTMLInputElement>('input[type=search]')
      if (!field && !dataset) return
      event.preventDefault()
      if (field) field.focus()
      else navigate(href('d', dataset as string, 'images'))
    }
    window.addEventListener('keydown', press)
    return () => window.removeEventListener('keydown', press)
  }, [dataset])
}
