import { setImmediate } from 'node:timers/promises';
import { compileSpec } from '../../core/occurrences';
import type { Form } from '../../store/reads/forms';

/** Schedules of one form, and what of it lies in the stretch. */
export interface CountedForm {
  form: Form;
  /** Firings of all its schedules. */
  firings: number;
  first: Date;
  last: Date;
}

/** One firing that is to come. */
export interface AgendaEntry {
  at: Date;
  scheduleId: string;
}

/** What will fire in a stretch of time, minute by minute. */
export interface Agenda {
  from: Date;
  to: Date;
  /** Firings in each minute from `from` on. */
  minutes: number[];
  firings: number;
  /** Schedules that fire in it. */
  schedules: number;
  forms: CountedForm[];
  /** The first ones, in the order of time. */
  entries: AgendaEntry[];
  /** Schedules whose specs could not be evaluated, or were left out since there are too many different ones. */
  leftOut: number;
  /** Whether counts are estimated from some of the schedules. */
  isEstimated: boolean;
}

const MINUTE = 60_000;
/** Occurrences that are computed at most: some seconds of work, in small pieces. */
const COMPUTED_AT_MOST = 2_000_000;
/** Schedules of one hashed form that stand for all of them. */
const SAMPLED_AT_MOST = 2_000;
const ENTRIES_AT_MOST = 500;
/** Other requests get their turn after so long. */
const TURN_MILLISECONDS = 8;

/** Count what forms fire in `[from, to)`. Excluded occurrences and overlap are not reckoned with. */
export async function countAgenda(forms: Form[], { from, to }: { from: Date; to: Date }): Promise<Agenda> {
  const minutes = new Array<number>(Math.ceil((to.getTime() - from.getTime()) / MINUTE)).fill(0);
  const agenda: Agenda = {
    ...{ from, to, minutes, firings: 0, schedules: 0, forms: [], entries: [], leftOut: 0, isEstimated: false },
  };
  let left = COMPUTED_AT_MOST;
  let turnEnds = Date.now() + TURN_MILLISECONDS;
  for (const form of forms) {
    if (left <= 0) {
      agenda.leftOut += form.schedules;
      continue;
    }
    if (Date.now() > turnEnds) {
      await setImmediate();
      turnEnds = Date.now() + TURN_MILLISECONDS;
    }
    try {
      left -= await addForm(agenda, form, left);
    } catch {
      agenda.leftOut += form.schedules;
    }
  }
  agenda.entries.sort(
    (one, other) => one.at.getTime() - other.at.getTime() || (one.scheduleId < other.scheduleId ? -1 : 1),
  );
  agenda.entries.length = Math.min(agenda.entries.length, ENTRIES_AT_MOST);
  agenda.forms.sort((one, other) => other.firings - one.firings);
  return agenda;
}

/** Returns how many occurrences were computed. */
async function addForm(agenda: Agenda, form: Form, left: number): Promise<number> {
  // Only where the ID decides has a form the IDs of all its schedules.
  const isHashed = form.schedules > 1 && /(^|[\s,])H/i.test(JSON.stringify(form.spec.cron ?? '').replace(/["[]/g, ' '));
  const ids = isHashed ? form.scheduleIds.slice(0, SAMPLED_AT_MOST) : form.scheduleIds.slice(0, 1);
  if (isHashed && ids.length < form.schedules) agenda.isEstimated = true;
  const weight = form.schedules / ids.length;
  let computed = 0;
  let turnEnds = Date.now() + TURN_MILLISECONDS;
  const counted: CountedForm = { form, firings: 0, first: agenda.to, last: agenda.from };
  let firing = 0;
  for (const scheduleId of ids) {
    const compiled = compileSpec(form.spec, { scheduleId });
    let cursor = compiled.next(agenda.from.getTime() - 1);
    if (cursor !== undefined && cursor < agenda.to.getTime()) firing += weight;
    while (cursor !== undefined && cursor < agenda.to.getTime() && computed < left) {
      computed += 1;
      addOccurrence(agenda, counted, { at: new Date(cursor), weight, ids: isHashed ? [scheduleId] : form.scheduleIds });
      cursor = compiled.next(cursor);
      if (computed % 256 === 0 && Date.now() > turnEnds) {
        await setImmediate();
        turnEnds = Date.now() + TURN_MILLISECONDS;
      }
    }
  }
  if (counted.firings === 0) return computed + 1;
  counted.firings = Math.round(counted.firings);
  agenda.firings += counted.firings;
  agenda.schedules += Math.round(firing);
  agenda.forms.push(counted);
  return computed + 1;
}

function addOccurrence(agenda: Agenda, counted: CountedForm, one: { at: Date; weight: number; ids: string[] }): void {
  const { at, weight, ids } = one;
  agenda.minutes[Math.floor((at.getTime() - agenda.from.getTime()) / MINUTE)]! += weight;
  counted.firings += weight;
  if (at < counted.first) counted.first = at;
  if (at > counted.last) counted.last = at;
  if (agenda.entries.length >= ENTRIES_AT_MOST * 20) return;
  for (const scheduleId of ids) agenda.entries.push({ at, scheduleId });
}
