import { render } from 'preact'
import './style.css'
import { Shell } from './app/shell'

const app = document.getElementById('app') as HTMLElement
const [notStarted] = app.children
render(<Shell />, app)
notStarted.remove()
