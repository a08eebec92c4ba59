import { inTurns, Turns } from '../../client/in-turns';
import { foundOne } from '../../core/occurrences';
import type { FormInUse } from './form';

export interface CountedForm {
  form: FormInUse;
  /** Number of firings of all schedules of the form. */
  firings: number;
  first: Date;
  last: Date;
}

export interface AgendaEntry {
  at: Date;
  scheduleId: string;
}

export interface Agenda {
  from: Date;
  to: Date;
  /** Number of firings in each minute, beginning with `from`. */
  minutes: number[];
  firings: number;
  /** Number of schedules that fire in the range. */
  schedules: number;
  forms: CountedForm[];
  /** The first {@link ENTRIES_AT_MOST} firings, ordered by time. */
  entries: AgendaEntry[];
  /**
   * Number of schedules that are not counted: their spec cannot be evaluated or takes too long, or other specs have
   * used up {@link COMPUTED_AT_MOST}.
   */
  leftOut: number;
}

const MINUTE = 60_000;
/** Once this many occurrences have been computed, the remaining forms are left out. */
const COMPUTED_AT_MOST = 2_000_000;
const ENTRIES_AT_MOST = 500;
/** This many occurrences of a form are enumerated one by one; further ones are counted minute by minute. */
const WALKED_AT_MOST = 20_000;
/**
 * A form that cannot be evaluated, or takes too long, counts as this many computed occurrences. The attempt may take as
 * long as computing them.
 */
const FAILED_COUNTS_AS = 1_000;

/**
 * Occurrences that may be among the first firings. According to the counts so far, the first firings lie before `end`.
 */
interface First {
  end: number;
  times: { at: number; form: FormInUse }[];
}

/**
 * Counts the firings of some forms in `[from, to)`. Exclusions, freezes, overlap and remaining actions are not taken
 * into account.
 */
export async function countAgenda(forms: FormInUse[], { from, to }: { from: Date; to: Date }): Promise<Agenda> {
  const minutes = new Array<number>(Math.ceil((to.getTime() - from.getTime()) / MINUTE)).fill(0);
  const agenda: Agenda = { from, to, minutes, firings: 0, schedules: 0, forms: [], entries: [], leftOut: 0 };
  const first: First = { end: Number.POSITIVE_INFINITY, times: [] };
  let left = COMPUTED_AT_MOST;
  const turns = new Turns();
  for (const form of forms) {
    if (left <= 0) {
      agenda.leftOut += form.schedules.size;
      continue;
    }
    await turns.next();
    try {
      left -= addForm(agenda, form, first, await countForm(form, agenda, turns));
    } catch {
      left -= FAILED_COUNTS_AS;
      agenda.leftOut += form.schedules.size;
    }
  }
  agenda.forms.sort((one, other) => other.firings - one.firings);
  agenda.entries = entriesOf(first);
  return agenda;
}

/** One occurrence of a form, or several from an instant on within one minute. */
interface Counted {
  at: number;
  occurrences: number;
  /** The number of schedules that fire then. */
  schedules: number;
}

async function countForm(form: FormInUse, range: { from: Date; to: Date }, turns: Turns): Promise<Counted[]> {
  const all: Counted[] = [];
  for await (const some of inTurns(count(form, +range.from, +range.to), turns)) {
    for (const counted of some) all.push(counted);
  }
  return all;
}

function* count(form: FormInUse, from: number, to: number): Generator<Counted> {
  const compiled = form.compiled();
  // These are read only once, since the form may change while other requests are answered between two turns.
  const [ends, all] = [form.pauseEnds(), form.schedules.size];
  let [walked, ended] = [0, 0];
  for (let at = form.firstFrom(from); at !== undefined && at < to; at = compiled.next(at)) {
    while (ended < ends.length && ends[ended]! <= at) ended++;
    const counted = { at, occurrences: 1, schedules: all - ends.length + ended };
    if (walked++ >= WALKED_AT_MOST) {
      const minuteEnds = from + (Math.floor((at - from) / MINUTE) + 1) * MINUTE;
      const end = Math.min(minuteEnds, to, ends[ended] ?? to) - 1;
      counted.occurrences = compiled.count(at - 1, end);
      at = end;
    }
    for (let found = 0; found < counted.occurrences; found++) foundOne();
    yield counted;
  }
}

/** Adds the firings of a form. @returns the number of computed occurrences; 1 if there are none */
function addForm(agenda: Agenda, form: FormInUse, earliest: First, counted: Counted[]): number {
  const from = agenda.from.getTime();
  let [computed, firings] = [0, 0];
  for (const { at, occurrences, schedules } of counted) {
    agenda.minutes[Math.floor((at - from) / MINUTE)]! += occurrences * schedules;
    computed += occurrences;
    firings += occurrences * schedules;
    if (at < earliest.end) earliest.times.push({ at, form });
  }
  const last = counted.at(-1);
  if (!last) return 1;
  agenda.firings += firings;
  agenda.schedules += last.schedules;
  agenda.forms.push({ form, firings, first: new Date(counted[0]!.at), last: new Date(last.at) });
  earliest.end = endOfFirst(agenda);
  return computed;
}

/** The instant by which enough firings have occurred to fill the list of the first ones. */
function endOfFirst({ from, minutes }: Agenda): number {
  let firings = 0;
  const minute = minutes.findIndex((count) => {
    firings += count;
    return firings >= ENTRIES_AT_MOST;
  });
  return minute < 0 ? Number.POSITIVE_INFINITY : from.getTime() + (minute + 1) * MINUTE;
}

function entriesOf({ times, end }: First): AgendaEntry[] {
  const first = times.filter(({ at }) => at < end).sort((one, other) => one.at - other.at);
  const entries: AgendaEntry[] = [];
  for (let n = 0; n < first.length && entries.length < ENTRIES_AT_MOST; ) {
    const { at } = first[n]!;
    const names: string[] = [];
    for (; n < first.length && first[n]!.at === at; n++) {
      const { form } = first[n]!;
      for (const name of form.schedules) if (form.fires(name, at)) names.push(name);
    }
    for (const scheduleId of names.sort()) entries.push({ at: new Date(at), scheduleId });
  }
  return entries.slice(0, ENTRIES_AT_MOST);
}
