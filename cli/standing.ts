import { counted, orMore } from '../core/counted';
import type { Standing } from '../doctor/standing';
import { print, printTable } from './output/output';
import { firstFor, lagInWords, lasted, schedulesInWords } from './top/screen';

/**
 * Prints the part of `escapement doctor` below its findings: the live triggers with their load, and their total
 * backlog.
 */
export function printStanding(standing: Standing | undefined): void {
  print('');
  if (!standing) {
    print('The triggers and their load could not be read; the reason is above.');
    return;
  }
  const { now, isForTriggers, triggers, loads, pace } = standing;
  if (triggers.length > 0) {
    printTable(
      ['TRIGGER', 'HOST', 'VERSION', 'SCHEMA', 'LAST HEARTBEAT', 'STARTING', 'RUNNING'],
      triggers.map(({ id, host, version, schemaVersion, heartbeatAt }) => {
        const { starting, running } = inHandOf(standing, id);
        const cells = [id, host, version, String(schemaVersion), `${lasted(now, heartbeatAt)} ago`];
        return [...cells, inWords(starting, isCut(loads, 'starting')), inWords(running, isCut(loads, 'running'))];
      }),
    );
  }
  if (triggers.length > 0 && !loads) print('The load of the triggers could not be read: see check_failed above.');
  print(pace ? paceInWords(now, pace) : 'The backlog and the lag could not be read: see check_failed above.');
  if (isForTriggers === false) print(NOT_FOR_TRIGGERS);
}

/**
 * The last line of `escapement doctor --json`, with the live triggers and their load. This line has the shape of a
 * finding, but is not one.
 */
export function standingAsLine(standing: Standing) {
  const { now, isForTriggers, triggers, loads, pace } = standing;
  const alive = counted(triggers.length, 'trigger is', 'triggers are');
  const sentences = [`${alive} alive.`, pace && paceInWords(now, pace), isForTriggers === false && NOT_FOR_TRIGGERS];
  return {
    id: 'standing',
    severity: 'info',
    text: sentences.filter(Boolean).join(' '),
    action: "For the current activity, run 'escapement top'.",
    runBook: 'fifteen-questions',
    triggers: triggers.map((trigger) => {
      const { starting = null, running = null } = inHandOf(standing, trigger.id);
      return { ...trigger, starting, running };
    }),
    due: pace?.due ?? null,
    dueSince: pace?.dueSince ?? null,
    lag: pace?.lag ?? null,
    cut: [...(loads?.cut ?? []), ...(pace?.isDueCut ? ['due'] : [])],
  };
}

const NOT_FOR_TRIGGERS = "The role that doctor uses lacks a trigger's rights: a trigger with this role does not start.";

function inHandOf({ loads }: Standing, id: string): { starting?: number; running?: number } {
  return loads ? (loads.byTrigger.get(id) ?? { starting: 0, running: 0 }) : {};
}

function isCut(loads: Standing['loads'], what: 'starting' | 'running'): boolean {
  return loads?.cut.includes(what) ?? false;
}

function inWords(count: number | undefined, isCut: boolean): string | undefined {
  return count === undefined ? undefined : orMore(count, isCut);
}

function paceInWords(now: Date, { due, isDueCut, dueSince, lag }: NonNullable<Standing['pace']>): string {
  const what = `${schedulesInWords(due, isDueCut)}${firstFor(now, dueSince, isDueCut)}`;
  return `Due and not claimed: ${what}. Lag of the last five minutes: ${lagInWords(lag)}.`;
}
