import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ms from 'ms';
import { expect, it } from 'vitest';
import { ALERT_DEFAULTS, ALERT_RULES } from '../../core/alert-defaults';
import { decideOverlap } from '../../core/decisions/overlap';
import { DEFAULTS } from '../../core/defaults';
import type { OverlapPolicy } from '../../core/schedule/policies';
import { LIMITS } from '../../trigger/limits';

const ROOT = resolve(__dirname, '../..');
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const AT_ROOT = ['README', 'CHANGELOG'];
const fileOf = (name: string) => (AT_ROOT.includes(name) ? `${name}.md` : `docs/${name}.md`);
/** A page as one line. */
const page = (name: string) => read(fileOf(name)).replace(/\s+/g, ' ');

const { trigger, ledger, lease, policies } = DEFAULTS;

const QUERY_TIMEOUT = constantIn('store/connection.ts', 'QUERY_TIMEOUT_MILLISECONDS');
const LOCK_TIMEOUT = ms(/lock_timeout = '(\ds)'/.exec(read('store/session.ts'))![1] as '2s');

/** How many firings of a schedule start at once if its policies name only the overlap. */
const openAtMost = (policy: OverlapPolicy) =>
  decideOverlap(
    0,
    Array.from({ length: 3 }, () => ({ policy })),
  ).decisions.filter((one) => one === 'claim').length;

/** The default of an option as its help states it, in docs/commands.md, which the help writes. */
const helpOf = (flag: string) => new RegExp(`\\| \`${flag} [^|]+\\|[^|]+\\(default: '?(.+?)'?[;)]`);

/** The value of a constant in a file: a product of numbers. */
function constantIn(file: string, name: string): number {
  const [, product] = new RegExp(`\\b${name} = ([\\d_* ]+)[;,]`).exec(read(file)) ?? [];
  if (product === undefined) throw new Error(`${file} has no constant ${name} that is a product of numbers`);
  return product
    .replaceAll('_', '')
    .split('*')
    .reduce((result, factor) => result * Number(factor), 1);
}

/**
 * What pages say by hand: the page, the sentence's words that stay with the value as its one group, and the value of the
 * code. A sentence that is gone loses its line here; its default stands in docs/defaults.md.
 */
const STATED: [name: string, sentence: RegExp, value: number][] = [
  ['README', /takes over its starts, by default within about (.+?)\./, ledger.staleAfterMilliseconds],
  ['alerts', /Every (.+?) a trigger checks for problems/, LIMITS.alertIntervalMilliseconds],
  ['alerts', /triggers remind every (.+?), unless/, ALERT_DEFAULTS.reminderMilliseconds],
  ['alerts', /\| `late` \|[^|]+\| a firing is not started (.+?) after it could start/, ALERT_RULES.late],
  ['alerts', /a workflow has run for at least (.+?), and/, ALERT_DEFAULTS.runningLongFromMilliseconds],
  ['alerts', /and (\w+) times as long as the longest/, ALERT_DEFAULTS.usualTimes],
  ['alerts', /the longest of the last (\w+) completed/, ALERT_DEFAULTS.usualOf],
  ['alerts', /At least (\w+) are needed/, ALERT_DEFAULTS.usualFrom],
  ['alerts', /neither firing nor gap (.+?) after it was due/, ALERT_DEFAULTS.overdueMilliseconds],
  ['alerts', /the last (\w+) ended firings failed/, ALERT_RULES.failing],
  ['alerts', /the last (\w+) firings were skipped/, ALERT_RULES.skipped],
  ['alerts', /was triggered more than (\w+) times within/, ALERT_RULES.startedOften],
  ['alerts', /was triggered more than \w+ times within (.+?) \|/, ALERT_DEFAULTS.startedOftenWithinMilliseconds],
  ['alerts', /a step has been parked for (.+?) \|/, ALERT_RULES.parked],
  ['alerts', /no answer or only refusals for (.+?), or/, ALERT_DEFAULTS.unreachableMilliseconds],
  ['alerts', /rejected the credentials of a trigger for (.+?) \|/, ALERT_DEFAULTS.unreachableMilliseconds],
  ['alerts', /kept a due schedule locked for (.+?) \|/, ALERT_DEFAULTS.problemMilliseconds],
  ['alerts', /a trigger has failed for (.+?) to create a month/, ALERT_DEFAULTS.problemMilliseconds],
  ['alerts', /or not tried for (.+?) \|/, constantIn('trigger/upkeep/known-months.ts', 'NEEDED_MILLISECONDS')],
  ['alerts', /\| for (.+?), the clock of a trigger's host/, ALERT_DEFAULTS.problemMilliseconds],
  ['alerts', /has differed by over (.+?) from that of Postgres/, ALERT_DEFAULTS.clockOffMilliseconds],
  ['alerts', /keeps a month (.+?) past the retention/, ALERT_DEFAULTS.retentionHeldMilliseconds],
  ['alerts', /its heartbeat to Postgres for (.+?) \|/, ALERT_DEFAULTS.ledgerAwayMilliseconds],
  ['alerts', /a cap has held starts back for (.+?) \|/, ALERT_DEFAULTS.capFullMilliseconds],
  ['alerts', /no trigger checked for problems for (.+?)\. /, ALERT_DEFAULTS.unseenMilliseconds],
  ['alerts', /one check opens more than (\w+) alerts/, ALERT_DEFAULTS.toldAlone],
  ['alerts', /a problem has had (\w+) alerts within the last hour/, ALERT_DEFAULTS.openingsAnHour + 1],
  ['alerts', /until the problem has been gone for (.+?)\./, ALERT_DEFAULTS.steadyMilliseconds],
  [
    'api',
    /or one that catches up has not taken all within (.+?)\)/,
    constantIn('server/events/stream.ts', 'SLOW_AFTER_MILLISECONDS'),
  ],
  ['api', /reads the ledger every (.+?), and sends/, constantIn('server/events/hub.ts', 'LOOK_MILLISECONDS')],
  ['api', /About every (.+?) comes `: heartbeat`/, constantIn('server/events/hub.ts', 'BEAT_MILLISECONDS')],
  ['api', /A server has (\d+) readers at most/, constantIn('server/events/route.ts', 'STREAMS_AT_MOST')],
  ['archive', /for `--keep`, (.+?) by default/, ms(/parseKeep,\s+'(.+?)'/.exec(read('cli/db/archive.ts'))![1] as '7d')],
  ['architecture', /If only this start fails for (\w+ \w+) \(`refusedAtMost`\)/, trigger.refusedAtMostMilliseconds],
  ['audit', /at most (.+?) after it was due \(`--late-after`\)/, DEFAULTS.onTimeMilliseconds],
  ['choosing', /If the open one still runs (.+?) \(by default\)/, trigger.cancelWaitMilliseconds],
  ['choosing', /`CANCEL_OTHER` \| waits [^|]+still runs (.+?) \(by default\)/, trigger.cancelWaitMilliseconds],
  ['choosing', /for Temporal's answer counts as missed after (.+?)\. /, DEFAULTS.onTimeMilliseconds],
  ['choosing', /claimed, buffered or skipped within (.+?) of its start time/, DEFAULTS.onTimeMilliseconds],
  ['choosing', /\| `catchupWindow` \| (.+?) \|/, policies.catchupWindowMilliseconds],
  ['choosing', /\| `catchupLimit` \| (\w+) \|/, policies.catchupLimit],
  ['commands', helpOf('--starts-in-flight'), trigger.startsInFlight],
  ['commands', helpOf('--pre-start-cap'), trigger.preStartCapMilliseconds],
  ['commands', helpOf('--refused-at-most'), trigger.refusedAtMostMilliseconds],
  ['commands', helpOf('--cancel-wait'), trigger.cancelWaitMilliseconds],
  ['commands', helpOf('--stalled-after'), trigger.stalledAfterMilliseconds],
  ['commands', helpOf('--requests-per-second'), constantIn('server/serve.ts', 'REQUESTS_PER_SECOND')],
  ['commands', helpOf('--stale-after'), ledger.staleAfterMilliseconds],
  ['commands', helpOf('--retention'), ledger.retentionMilliseconds],
  ['commands', helpOf('--catchup-window'), policies.catchupWindowMilliseconds],
  ['commands', helpOf('--catchup-limit'), policies.catchupLimit],
  [
    'commands',
    /\| `--end [^|]+\|[^|]+\(default: (.+?) ago\)/,
    constantIn('moving/compare/compare.ts', 'FRESH_MILLISECONDS'),
  ],
  ['commands', helpOf('--count'), constantIn('core/occurrences/describe.ts', 'count')],
  ['commands', helpOf('--max-concurrent'), openAtMost('SKIP')],
  ['commands', helpOf('--rate'), constantIn('client/letters/redrive-all.ts', 'REDRIVEN_PER_SECOND')],
  ['commands', helpOf('--late-after'), DEFAULTS.onTimeMilliseconds],
  ['commands', /with --cursor, (\d+)\)/, DEFAULTS.pageSize],
  ['dead-letters', /`maxConcurrent` \(by default (\w+)\)/, openAtMost('SKIP')],
  [
    'dead-letters',
    /`--rate` letters a second, (\w+) by default/,
    constantIn('client/letters/redrive-all.ts', 'REDRIVEN_PER_SECOND'),
  ],
  ['glossary', /without one for (.+?) \(`staleAfter`\)/, ledger.staleAfterMilliseconds],
  ['glossary', /\| on time \| at most (.+?) late/, DEFAULTS.onTimeMilliseconds],
  ['guarantees', /\| D3 \|[^|]+\| (.+?) \(`staleAfter`\) after its last heartbeat/, ledger.staleAfterMilliseconds],
  ['guarantees', /\| N1 \|[^|]+\|[^|]+the most recent (\w+) /, policies.catchupLimit],
  ['guarantees', /\| T13 \|[^|]+\|[^|]+After (.+?) \(`refusedAtMost`\)/, trigger.refusedAtMostMilliseconds],
  ['guarantees', /\| T14 \|[^|]+\|[^|]+are `abandoned` after (.+?), or/, trigger.refusedAtMostMilliseconds],
  [
    'guarantees',
    /\| T15 \|[^|]+\|[^|]+is repeated for (.+?) \(computed\) \|/,
    constantIn('trigger/recover/recover-one.ts', 'REMEMBERED_AT_LEAST_MILLISECONDS'),
  ],
  ['guarantees', /\| T22 \|[^|]+\|[^|]+; after (.+?) the catch-up policies/, DEFAULTS.onTimeMilliseconds],
  ['guarantees', /\| M2 \|[^|]+\|[^|]+, firings over (.+?) late/, DEFAULTS.onTimeMilliseconds],
  ['guarantees', /\| W5 \| a person resets it within (.+?) after it failed/, LIMITS.resetWatchMilliseconds],
  ['guarantees', /\| W6 \|[^|]+\|[^|]+after `stalledAfter`, by default (.+?) \|/, trigger.stalledAfterMilliseconds],
  ['guarantees', /\| W7 \|[^|]+\|[^|]+is also polled (.+?) \(`stalledAfter`\)/, trigger.stalledAfterMilliseconds],
  [
    'guarantees',
    /\| W7 \|[^|]+\|[^|]+double up to (.+?), or/,
    constantIn('trigger/observe/end-lists.ts', 'LONGEST_POLL_PAUSE_MILLISECONDS'),
  ],
  [
    'guarantees',
    /\| W7 \|[^|]+\|[^|]+, or (.+?) if stalled/,
    constantIn('trigger/observe/observe.ts', 'STALLED_PAUSE_MILLISECONDS'),
  ],
  [
    'guarantees',
    /\| W9 \|[^|]+\|[^|]+at most (.+?) apart/,
    constantIn('trigger/observe/observe.ts', 'LONGEST_UNLISTED_PAUSE_MILLISECONDS'),
  ],
  ['guarantees', /\| W22 \|[^|]+\| a firing that has waited (.+?) \(`cancelWait`\)/, trigger.cancelWaitMilliseconds],
  ['leases', /\(`ttl`, (.+?) by default\)/, lease.ttlMilliseconds],
  [
    'metrics',
    /A scrape waits (.+?) for the ledger/,
    constantIn('trigger/metrics/metrics.ts', 'LEDGER_WAIT_MILLISECONDS'),
  ],
  [
    'metrics',
    /Scrapes within (.+?) share one read/,
    constantIn('trigger/metrics/metrics.ts', 'LEDGER_READ_AGAIN_MILLISECONDS'),
  ],
  ['parity', /`ListScheduleOptions.pageSize` \| (\w+) by default/, DEFAULTS.pageSize],
  [
    'park',
    /giveUpAfter: '(.+?)', \/\/ the default/,
    constantIn('activities/park-rules.ts', 'GIVE_UP_AFTER_MILLISECONDS'),
  ],
  ['park', /parkedAtMost: '[^']+', \/\/ no bound by default; at least (\w+ \w+)/, DEFAULTS.shortestParkedMilliseconds],
  ['pre-start', /up to (.+?) \(`preStartCap`\)/, trigger.preStartCapMilliseconds],
  ['pre-start', /a schedule may allow up to (.+?):/, DEFAULTS.longestPreStartMilliseconds],
  ['pre-start', /lies ahead or at most (.+?) ago/, DEFAULTS.onTimeMilliseconds],
  ['retention', /in the ledger for at least (.+?) after its nominal time/, ledger.retentionMilliseconds],
  ['postgres', /is `queryTimeoutMilliseconds`, (.+?) by default/, QUERY_TIMEOUT],
  ['postgres', /Each waits at most (.+?) for a lock/, LOCK_TIMEOUT],
  ['schedules', /Calls wait at most (.+?) for each row lock/, LOCK_TIMEOUT],
  ['postgres', /by default runs at most (.+?), two thirds of/, (QUERY_TIMEOUT * 2) / 3],
  ['guarantees', /\| P15 \|[^|]+\|[^|]+after (.+?) of waiting/, LOCK_TIMEOUT],
  ['guarantees', /\| P15 \|[^|]+\|[^|]+, or (.+?) in all/, (QUERY_TIMEOUT * 2) / 3_000],
  ['running', /When one dies, the other goes on, and about (.+?) later takes over/, ledger.staleAfterMilliseconds],
  ['running', /host can hang for longer than (.+?), raise/, ledger.staleAfterMilliseconds],
  ['running', /to one process: by default (\w+)/, constantIn('server/serve.ts', 'REQUESTS_PER_SECOND')],
  ['running', /in a burst (\w+)/, 2 * constantIn('server/serve.ts', 'REQUESTS_PER_SECOND')],
  ['why', /\[after (.+?), by default\]/, trigger.refusedAtMostMilliseconds],
  ['why', /is skipped within (.+?); the alert `stalled`/, trigger.cancelWaitMilliseconds],
  ['schedules', /`trigger` fires (\d+) schedules a second/, constantIn('client/bulk/ask.ts', 'TRIGGERED_PER_SECOND')],
  ['schedules', /Those due more than (.+?) before the commit are/, DEFAULTS.onTimeMilliseconds],
  ['testing', /another takes over (.+?) after the last heartbeat/, ledger.staleAfterMilliseconds],
];

it('each default that a page says by hand is that of the code', () => {
  const wrong = STATED.flatMap(([name, sentence, value]) => {
    const said = sentence.exec(page(name))?.[1];
    if (said === undefined) return [`${fileOf(name)} has no ${sentence}: give its new words here, or drop the line`];
    const stated = numberOf(said);
    return stated === value ? [] : [`${fileOf(name)} says '${said}' (${sentence}), the code ${shown(value, said)}`];
  });
  expect(wrong).toEqual([]);
});

/** Sentences with a default and a number that are not about a value of the code, or that another test compares. */
const NOT_COMPARED: [name: string, sentence: RegExp][] = [
  // Commander adds these itself, from the value that it fills in.
  ['commands', /(?:how many at most|is retired again) \(default: [^)]+/],
  ['commands', /\(default: (?:0\.0\.0\.0|127\.0\.0\.1|exit with 2)/],
  // test/core/definition/retry.test.ts, test/client/apply/apply.test.ts, test/cli/calendar.test.ts
  ['commands', /runs of a failing workflow \(default: 1;/],
  ['commands', /schedules to delete \(default: 3,/],
  // test/activities/lease.test.ts
  ['leases', /by default twice `ttl`, or half of/],
  ['commands', /\(default: (?:1 January|31 December)/],
  ['performance', /all services in one process, by default 4 history shards/],
  ['why', /30 in a namespace by default, a setting/],
];

it('each default that is stated with a number is among those compared', () => {
  const pages = readdirSync(join(ROOT, 'docs')).flatMap((file) => (file.endsWith('.md') ? [file.slice(0, -3)] : []));
  const unused = new Set(NOT_COMPARED);
  const missed = [...AT_ROOT, ...pages].flatMap((name) => {
    if (name === 'defaults') return [];
    const text = page(name).replace(/```.*?```/g, '');
    const placesOf = (sentence: RegExp) => [...text.matchAll(new RegExp(sentence, 'g'))];
    const stated = STATED.flatMap(([one, sentence]) => (one === name ? placesOf(sentence) : []));
    const others = NOT_COMPARED.flatMap((other) => {
      const places = other[0] === name ? placesOf(other[1]) : [];
      if (places.length > 0) unused.delete(other);
      return places;
    });
    const isCompared = (at: number, end: number) =>
      [...stated, ...others].some(({ index, 0: words }) => index < end && at < index + words.length);
    return [...text.matchAll(DEFAULT_WITH_NUMBER)]
      .filter(({ index, 0: words }) => !isCompared(index, index + words.length))
      .map(([words]) => `${fileOf(name)}: ${words}`);
  });
  expect(missed).toEqual([]);
  expect([...unused]).toEqual([]);
});

const NUMBERS = 'zero one two three four five six seven eight nine ten'.split(' ');
const UNITS = {
  second: ms('1 s'),
  minute: ms('1 m'),
  hour: ms('1 h'),
  day: ms('1 d'),
  week: ms('1 w'),
  year: ms('1 y'),
};

const NUMBER = `(?:\\d[\\d,.]*|${NUMBERS.join('|')}|half|hundred|twice|an? (?:${Object.keys(UNITS).join('|')}))\\b`;
const DEFAULT_WITH_NUMBER = new RegExp(
  `\\b${NUMBER}[^.;|]{0,30}\\bby default\\b|\\bby default [^.;|]{0,40}\\b${NUMBER}|\\(default: [^)]*\\b${NUMBER}[^)]*\\)`,
  'g',
);

/** The milliseconds or the number of a text such as 'half a minute', 'an hour', '90 days' or 'three'. */
function numberOf(text: string): number {
  const isHalf = text.startsWith('half ');
  const words = text.replace(/^half /, '').split(' ');
  const [, unit] = /^(second|minute|hour|day|week|year)s?$/.exec(words.at(-1)!) ?? [];
  const count = words.slice(0, unit === undefined ? undefined : -1).join(' ');
  return (isHalf ? 0.5 : 1) * countOf(count) * (unit === undefined ? 1 : UNITS[unit as keyof typeof UNITS]);
}

function countOf(word: string): number {
  if (/^(?:an?)?$/.test(word)) return 1;
  if (word === 'hundred') return 100;
  const index = NUMBERS.indexOf(word);
  return index < 0 ? Number(word.replaceAll(',', '')) : index;
}

function shown(value: number, said: string): string {
  return /second|minute|hour|day|week|year/.test(said) ? ms(value, { long: true }) : String(value);
}

it.each([
  ['30 seconds', 30_000],
  ['ten minutes', 600_000],
  ['an hour', 3_600_000],
  ['a day', 86_400_000],
  ['half a minute', 30_000],
  ['half minute', 30_000],
  ['half second', 500],
  ['one year', 31_557_600_000],
  ['three', 3],
  ['hundred', 100],
  ['250', 250],
])('reads %s', (text, value) => {
  expect(numberOf(text)).toBe(value);
});
