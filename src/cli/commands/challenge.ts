import { type Command, Option } from 'commander'
import {
  collectList,
  collectUnique,
  embeddingsOption,
  type GlobalOptions,
  meteorDataOption,
  parseText,
  wholeNumber,
} from '../../config.js'
import { unknownName } from '../../errors.js'
import { OPEN_VIEWER } from '../../services/accounts/viewer.js'
import { PRESETS, type PresetName } from '../../services/challenges/presets.js'
import type { Accord } from '../../services/shared/accord.js'
import { counted } from '../../shared/numbers.js'
import type { Dataset } from '../../store/schema/dataset-tables.js'
import { withAccord } from '../accord.js'
import { asksFirst } from '../confirm.js'
import { example, nameArgument, realFileArgument } from '../options.js'
import { printable } from '../output/formats.js'
import { withProgress } from '../output/progress.js'
import { printsReport, printsText, type ReportOptions } from '../report-command.js'
import {
  auditReport,
  boardColumns,
  boardReport,
  challengeColumns,
  challengeReport,
  challengesReport,
  ENTRIES,
  PHASES,
  SUBMISSIONS,
  submissionsReport,
} from '../reports/challenge-report.js'

interface CreateOptions extends GlobalOptions {
  readonly file?: string
  readonly phase?: readonly string[]
  readonly closes?: string
  readonly preset?: PresetName
}

interface UpdateOptions extends GlobalOptions {
  readonly file: string
}

interface PhaseOptions extends ReportOptions {
  readonly phase?: string
  readonly orderBy?: string
}

interface GrantOptions extends GlobalOptions {
  readonly phase?: string
  readonly team: string
  readonly count: number
}

interface SubmitOptions extends GlobalOptions {
  readonly challenge: string
  readonly phase?: readonly string[]
  readonly method?: string
  readonly link?: readonly string[]
  readonly anonymous?: true
  readonly team?: string
  readonly server?: string
  readonly token?: string
  readonly meteorData?: string
  readonly embeddings?: string
}

const phaseOption = () =>
  new Option('--phase <name>', 'name of the phase (default: the only one)').argParser(parseText)

/** `accord challenge` */
export function register(program: Command): void {
  registerChallenge(program)
  registerSubmit(program)
}

function registerChallenge(program: Command): void {
  const challenge = program.command('challenge').description('host competitions of teams')
  registerList(challenge)
  registerShow(challenge)
  registerCreate(challenge)
  registerUpdate(challenge)
  registerPause(challenge)
  registerBoard(challenge)
  registerSubmissions(challenge)
  registerGrant(challenge)
  registerRerun(challenge)
  registerExport(challenge)
  registerAudit(challenge)
  registerRemove(challenge)
}

function open<Result>(
  {
    database: location,
    meteorData: meteorFolder,
    embeddings: embeddingsFile,
  }: GlobalOptions & Pick<SubmitOptions, 'meteorData' | 'embeddings'>,
  use: (accord: Accord) => Promise<Result>,
): Promise<Result> {
  return withAccord({ location, mustExist: true, meteorFolder, embeddingsFile }, use)
}

function registerList(challenge: Command): void {
  const command = challenge
    .command('list')
    .summary('all challenges')
    .description('List the challenges of the database.')
  const help = {
    examples: ['accord challenge list'],
    json: { report: 'challenges', challenges: challengeColumns(true) },
  }
  printsReport<ReportOptions>(command, help, (options) =>
    open(options, async (accord) => {
      const { phasesByChallenge } = await import('../../services/challenges/challenges.js')
      const { listChallenges } = await import('../../services/challenges/hosts.js')
      const challenges = await listChallenges(accord.database, OPEN_VIEWER)
      const phases = await phasesByChallenge(
        accord,
        challenges.map(({ id }) => id),
      )
      return challengesReport(
        challenges.map((row) => ({ ...row, phaseCount: phases.get(row.id)?.length ?? 0 })),
      )
    }),
  )
}

function registerShow(challenge: Command): void {
  const command = challenge
    .command('show')
    .summary('the rules of a challenge and its phases')
    .description('Show the rules of a challenge and its phases.')
    .addArgument(nameArgument('name of the challenge'))
  const help = {
    examples: ['accord challenge show scenes'],
    json: {
      report: 'challenge, title, description, timeZone, hostTeam, isPaused, isDraft, phases',
      phases: PHASES,
    },
  }
  printsReport<ReportOptions, [name: string]>(command, help, (options, name) =>
    open(options, async (accord) => {
      const challenges = await import('../../services/challenges/challenges.js')
      const { datasetsById } = await import('../../services/datasets/datasets.js')
      const { requireChallenge } = await import('../../services/challenges/hosts.js')
      const found = await requireChallenge(accord.database, OPEN_VIEWER, name)
      const phases = (await challenges.phasesByChallenge(accord, [found.id])).get(found.id) ?? []
      const datasets = await datasetsById(
        accord,
        phases.map(({ datasetId }) => datasetId),
      )
      return challengeReport(
        found,
        phases.map((phase) => ({
          ...phase,
          dataset: datasets.get(phase.datasetId) as Dataset,
          stage: challenges.stageOf(phase, found),
        })),
      )
    }),
  )
}

const FILE_HELP = `
The file is JSON with title, description (Markdown), timeZone, isPaused, isDraft and phases. Only hosts see a draft, until
it is changed to false. A phase has name, dataset, opensAt,
closesAt, isPrivate, metrics, rankedBy, decimals, references, boardFrom, isImageScoreShown, admittedTeams,
limits {perDay, total, concurrent, attempts, teamsPerUser} and baselines. Times are RFC 3339 with an offset. What is
absent has its default, or stays as it is.`

function registerCreate(challenge: Command): void {
  const command = challenge
    .command('create')
    .summary('create a challenge')
    .description(
      'Create a challenge. Its phases are described by a file, or by options. Human agreement and the scores of baselines are' +
        ' computed by the workers of the database: those of accord serve, or accord worker.',
    )
    .addArgument(nameArgument('name of the challenge'))
    .option('--file <file>', 'JSON file that describes the challenge', parseText)
    .option(
      '--phase <name=dataset...>',
      'phases by name, each with the name of its dataset; beside those of the file',
      collectList(parseText),
    )
    .option(
      '--closes <time>',
      'end of the phases of --phase: RFC 3339 with an offset, such as 2026-12-31T23:59:59Z',
      parseText,
    )
    .addOption(
      new Option('--preset <preset>', 'rules of the phases of --phase where nothing else is said').choices(
        Object.keys(PRESETS),
      ),
    )
    .addHelpText('after', FILE_HELP)
  const examples = [
    'accord challenge create dogs --phase main=dogs --closes 2027-01-01T00:00:00Z',
    'accord challenge create coco --preset coco-captions-2015 --phase val-c5=val test-c5=test --closes 2027-01-01T00:00:00Z',
    'accord challenge create dogs --file challenge.json',
  ]
  printsText<[name: string]>(command, examples, async (accord, name) => {
    const { file, phase: pairs = [], closes, preset } = command.optsWithGlobals<CreateOptions>()
    const { readChallengeFile } = await import('../../services/challenges/challenge-files.js')
    const { createChallenge } = await import('../../services/challenges/challenges.js')
    const { withPreset } = await import('../../services/challenges/presets.js')
    const { phases: described = [], ...texts } = file === undefined ? {} : readChallengeFile(file)
    const given = pairs.map((pair) => {
      const [phase, ...dataset] = pair.split('=')
      return { name: phase, dataset: dataset.length > 0 ? dataset.join('=') : undefined, closesAt: closes }
    })
    const phases = [...described, ...(preset ? withPreset(preset, given) : given)]
    await createChallenge(accord, OPEN_VIEWER, { ...texts, name, phases })
    return `Created challenge ${printable(name)} with ${counted(phases.length, 'phase')}\n`
  })
}

function registerUpdate(challenge: Command): void {
  const command = challenge
    .command('update')
    .summary('change a challenge')
    .description(
      'Change a challenge and its phases, or add phases. Where metrics or references change, submissions are evaluated again by' +
        ' the workers of the database; their former scores stay.',
    )
    .addArgument(nameArgument('name of the challenge'))
    .requiredOption('--file <file>', 'JSON file with what changes (required)', parseText)
    .addHelpText('after', FILE_HELP)
  printsText<[name: string]>(
    command,
    ['accord challenge update dogs --file changes.json'],
    async (accord, name) => {
      const { file } = command.optsWithGlobals<UpdateOptions>()
      const { readChallengeFile } = await import('../../services/challenges/challenge-files.js')
      const { updateChallenge } = await import('../../services/challenges/challenges.js')
      await updateChallenge(accord, OPEN_VIEWER, { ...readChallengeFile(file), name })
      return `Changed challenge ${printable(name)}\n`
    },
  )
}

function registerPause(challenge: Command): void {
  const command = challenge
    .command('pause')
    .summary('accept no submissions for the time being')
    .description(
      'Accept no submissions until the challenge is resumed. Submissions that were accepted are evaluated.',
    )
    .addArgument(nameArgument('name of the challenge'))
    .option('--resume', 'accept submissions again')
  printsText<[name: string]>(command, ['accord challenge pause dogs'], async (accord, name) => {
    const { resume = false } = command.opts<{ resume?: true }>()
    const { updateChallenge } = await import('../../services/challenges/challenges.js')
    await updateChallenge(accord, OPEN_VIEWER, { name, isPaused: !resume })
    return `${resume ? 'Resumed' : 'Paused'} challenge ${printable(name)}\n`
  })
}

function registerBoard(challenge: Command): void {
  const command = challenge
    .command('board')
    .summary('the ranked entries of a phase')
    .description('Show the board of a phase: the entries of teams, baselines and people, with intervals.')
    .addArgument(nameArgument('name of the challenge'))
    .addOption(phaseOption())
    .option('--order-by <metric>', 'order of the rows (default: the metric that ranks)', parseText)
  const help = {
    examples: ['accord challenge board scenes', 'accord challenge board scenes --format csv > board.csv'],
    json: {
      report: 'challenge, phase, rankedBy, decimals, rows',
      rows: boardColumns({ metrics: [''], rankedBy: '', decimals: 0 }),
    },
  }
  printsReport<PhaseOptions, [name: string]>(command, help, (options, name) =>
    open(options, async (accord) => {
      const { requirePhase } = await import('../../services/challenges/phases.js')
      const { readBoard } = await import('../../services/challenges/board.js')
      const { phase: phaseName, orderBy } = options
      const chosen = await requirePhase(accord.database, OPEN_VIEWER, name, phaseName)
      const order = orderBy === undefined ? null : { metric: orderBy }
      const board = await withProgress((progress) =>
        readBoard(accord, OPEN_VIEWER, chosen, order, { progress }),
      )
      return board ? boardReport(name, chosen.phase.name, board) : undefined
    }),
  )
}

function registerSubmissions(challenge: Command): void {
  const command = challenge
    .command('submissions')
    .summary('the submissions to a phase')
    .description('List the submissions to a phase, oldest first.')
    .addArgument(nameArgument('name of the challenge'))
    .addOption(phaseOption())
  const help = {
    examples: ['accord challenge submissions scenes'],
    json: { report: 'challenge, phase, submissions', submissions: SUBMISSIONS },
  }
  printsReport<PhaseOptions, [name: string]>(command, help, (options, name) =>
    open(options, async (accord) => {
      const { requirePhase } = await import('../../services/challenges/phases.js')
      const { scoresOfSubmissions } = await import('../../services/challenges/board.js')
      const { submissionsOfPhase } = await import('../../services/challenges/submissions.js')
      const chosen = await requirePhase(accord.database, OPEN_VIEWER, name, options.phase)
      const rows = await submissionsOfPhase(accord, chosen)
      const scores = await scoresOfSubmissions(accord, chosen, rows)
      const { rankedBy } = chosen.phase.settings
      return submissionsReport(
        name,
        chosen.phase.name,
        rows.map((row) => ({
          ...row,
          team: row.teamName,
          rankedBy,
          value: scores.get(row.id)?.find(({ metric }) => metric === rankedBy)?.value ?? null,
          isWithdrawn: row.isWithdrawn,
          isChosen: row.isChosen,
        })),
      )
    }),
  )
}

function registerGrant(challenge: Command): void {
  const command = challenge
    .command('grant')
    .summary('let a team submit more often')
    .description('Grant a team submissions beyond the limits per day, in total and of attempts.')
    .addArgument(nameArgument('name of the challenge'))
    .addOption(phaseOption())
    .requiredOption('--team <team>', 'id or name of the team (required)', parseText)
    .option('--count <number>', 'number of submissions, 1 to 1000', wholeNumber(1, 1000), 1)
  printsText<[name: string]>(
    command,
    ['accord challenge grant scenes --team local --count 2'],
    async (accord, name) => {
      const { phase, team, count } = command.optsWithGlobals<GrantOptions>()
      const { grantSubmissions } = await import('../../services/challenges/submissions.js')
      const { quota } = await grantSubmissions(accord, OPEN_VIEWER, { challenge: name, phase, team, count })
      return `Granted team ${printable(team)} ${counted(count, 'submission')}; ${quota.leftGrants} of those granted are left\n`
    },
  )
}

function registerRerun(challenge: Command): void {
  const command = challenge
    .command('rerun')
    .summary('evaluate submissions again')
    .description(
      'Evaluate again what this version computes in another way, and run failed submissions again, also after the end of their' +
        ' phases, by the workers of the database. Former scores stay, and are shown by their signatures.',
    )
    .addArgument(nameArgument('name of the challenge'))
  printsText<[name: string]>(command, ['accord challenge rerun scenes'], async (accord, name) => {
    const { rerunChallenge } = await import('../../services/challenges/challenges.js')
    const started = await rerunChallenge(accord, OPEN_VIEWER, name)
    const evaluations = counted(started.evaluationCount, 'evaluation')
    return `Started ${evaluations}, and ${counted(started.submissionCount, 'failed submission')} again\n`
  })
}

function registerExport(challenge: Command): void {
  challenge
    .command('export')
    .summary('write all submissions with scores and captions')
    .description(
      'Write all submissions to a challenge with their scores and captions, as JSON with a line for each.',
    )
    .addArgument(nameArgument('name of the challenge'))
    .addHelpText('after', example('accord challenge export scenes > submissions.jsonl'))
    .action(async (name: string, _options, command: Command) => {
      const { exportSubmissions } = await import('../../services/challenges/challenge-files.js')
      const { writeParts } = await import('../output/output-file.js')
      await open(command.optsWithGlobals<GlobalOptions>(), async (accord) =>
        writeParts(exportSubmissions(accord, OPEN_VIEWER, name)),
      )
    })
}

function registerAudit(challenge: Command): void {
  const command = challenge
    .command('audit')
    .summary('what was done, and by whom')
    .description('Show what was done with a challenge, and by whom, oldest first.')
    .addArgument(nameArgument('name of the challenge'))
  const help = {
    examples: ['accord challenge audit scenes --format csv > audit.csv'],
    json: { report: 'entries', entries: ENTRIES },
  }
  printsReport<ReportOptions, [name: string]>(command, help, (options, name) =>
    open(options, async (accord) => {
      const { readAudit } = await import('../../services/challenges/challenges.js')
      const { requireChallenge } = await import('../../services/challenges/hosts.js')
      const entries = await readAudit(
        accord,
        OPEN_VIEWER,
        await requireChallenge(accord.database, OPEN_VIEWER, name),
      )
      return auditReport(entries.map((entry) => ({ ...entry, detail: JSON.stringify(entry.detail) })))
    }),
  )
}

function registerRemove(challenge: Command): void {
  const command = challenge
    .command('remove')
    .summary('remove a challenge and its submissions')
    .description(
      'Remove a challenge with its submissions, their captions and scores, and its audit log. Its datasets remain.',
    )
    .addArgument(nameArgument('name of the challenge'))
  asksFirst(command, (name) => `Remove the challenge ${name} with its submissions?`)
  printsText<[name: string]>(command, ['accord challenge remove scenes'], async (accord, name) => {
    const { removeChallenge } = await import('../../services/challenges/challenges.js')
    const { submissionCount } = await removeChallenge(accord, OPEN_VIEWER, name)
    return `Removed challenge ${printable(name)} and its ${counted(submissionCount, 'submission')}\n`
  })
}

/** `accord submit` */
function registerSubmit(program: Command): void {
  const command = program
    .command('submit')
    .summary('submit captions to a challenge')
    .description(
      'Submit captions of all images of a phase, in any format of captions, or a zip file with a file for each phase. What is' +
        ' wrong with the file is said at once and costs nothing. Without --server the database is used, and the submission is' +
        ' evaluated here unless other workers do it.',
    )
    .addArgument(realFileArgument('captions of the system, or a zip file'))
    .requiredOption('--challenge <name>', 'name of the challenge (required)', parseText)
    .option(
      '--phase <name...>',
      'names of phases (default: the only one, or all that are open)',
      collectList(parseText),
    )
    .option('--method <text>', 'description of the method, in Markdown', parseText)
    .option('--link <url...>', 'links to a paper or code', collectUnique(parseText))
    .option('--anonymous', 'do not show the team before the end of the phase')
    .option('--team <id>', 'id of the team (default: the only one)', parseText)
    .option('--server <url>', 'address of accord serve, such as https://accord.example/', parseText)
    .addOption(
      new Option('--token <token>', 'with --server: access token (default: that of accord login)')
        .env('ACCORD_TOKEN')
        .argParser(parseText),
    )
    .addOption(meteorDataOption())
    .addOption(embeddingsOption())
    .addHelpText(
      'after',
      example(
        'accord submit captions.json --challenge scenes',
        'accord submit results.zip --challenge coco --server https://accord.example/',
      ),
    )
    .action(async (path: string) => {
      const options = command.optsWithGlobals<SubmitOptions>()
      const { challenge, phase: phases, method, link: links, anonymous: isAnonymous, team, server } = options
      const input = { challenge, phases, method, links, isAnonymous, team }
      const ended = await withProgress(async (progress) => {
        if (server !== undefined) {
          const { submitToServer } = await import('../submit-to-server.js')
          const { storedToken } = await import('../stored-tokens.js')
          const token = options.token ?? storedToken(server)
          const headers = token === undefined ? undefined : { authorization: `Bearer ${token}` }
          return submitToServer({ server, headers }, path, input, progress)
        }
        const { teams } = OPEN_VIEWER
        if (team !== undefined && !teams.some(({ id }) => id === team)) {
          const known = teams.map(({ id }) => id)
          throw unknownName('UNKNOWN_TEAM', 'unknown team', { source: '--team', known, found: team })
        }
        const { submitFile } = await import('../../services/challenges/challenge-files.js')
        const { startWorkers } = await import('../../services/workers/workers.js')
        return open(options, async (accord) =>
          (await submitFile(accord, OPEN_VIEWER, path, input, { progress, startWorkers })).map(
            ({ submission, job }) => ({
              fileName: submission.fileName,
              status: job.status,
              message: job.failure?.message ?? null,
            }),
          ),
        )
      })
      for (const { fileName, status, message } of ended) {
        process.stdout.write(
          `${printable(fileName)}: ${status.toLowerCase()}${message === null ? '' : `: ${message}`}\n`,
        )
      }
    })
}
