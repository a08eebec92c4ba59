import { didYouMean } from '../../closest';
import { InvalidScheduleError, UnknownTimeZoneError } from '../../errors';
import { show } from '../show';
import { Zone } from './zone';

/** The zones by their names in lower case. Intl accepts names in any case, so spellings of one name share an entry. */
const zones = new Map<string, Zone>();

/** Names of zones that people use, and that Intl understands but does not list in every engine. */
const ALIASES = [
  'UTC',
  'GMT',
  'Etc/UTC',
  'Etc/GMT',
  'US/Pacific',
  'US/Mountain',
  'US/Central',
  'US/Eastern',
  'US/Alaska',
  'US/Hawaii',
  'US/Arizona',
  'Asia/Calcutta',
  'Asia/Kolkata',
  'Asia/Katmandu',
  'Asia/Kathmandu',
  'Asia/Saigon',
  'Asia/Ho_Chi_Minh',
  'Asia/Rangoon',
  'Asia/Yangon',
  'Europe/Kiev',
  'Europe/Kyiv',
  'America/Buenos_Aires',
  'America/Argentina/Buenos_Aires',
  'America/Nuuk',
  'Atlantic/Faroe',
  'EST5EDT',
  'CST6CDT',
  'MST7MDT',
  'PST8PDT',
];

/**
 * The offset table of a zone; all callers share it. A missing or empty name means UTC.
 *
 * @throws {UnknownTimeZoneError} if there is no such zone
 * @throws {InvalidScheduleError} for a value that is no name
 */
export function zoneNamed(name: string | undefined, path: string): Zone {
  const given = name === undefined || name === '' ? 'UTC' : name;
  // A value that is no text is no zone, even if it would convert to a zone's name, as `['UTC']` would.
  const key = typeof given === 'string' ? given.toLowerCase() : '';
  let zone = zones.get(key);
  if (zone === undefined) {
    zone = new Zone(given, key === 'utc' || key === 'etc/utc' ? undefined : offsetReader(given, path));
    zones.set(key, zone);
  }
  return zone;
}

let listed: Map<string, string> | undefined;

/**
 * A zone's name in the case in which it is listed, since Intl accepts names in any case. A name that is not listed
 * stays as it is.
 */
export function listedZone<Name>(name: Name): Name | string {
  if (typeof name !== 'string' || name === '') return name;
  listed ??= new Map([...Intl.supportedValuesOf('timeZone'), ...ALIASES].map((one) => [one.toLowerCase(), one]));
  return listed.get(name.toLowerCase()) ?? name;
}

function offsetReader(name: string, path: string): (second: number) => number {
  const format = formatOf(name, path);
  return (second) => parseOffset(format.format(second * 1000));
}

function formatOf(name: string, path: string): Intl.DateTimeFormat {
  // Newer engines accept '+05:00' as a time zone and older ones do not, so it is refused on all of them.
  const isName = typeof name === 'string' && /^[A-Za-z]/.test(name);
  if (isName) {
    try {
      return new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  const hint = typeof name === 'string' ? didYouMean(name, [...Intl.supportedValuesOf('timeZone'), ...ALIASES]) : '';
  // What is no name is no zone for any other process either.
  const Refusal = isName ? UnknownTimeZoneError : InvalidScheduleError;
  throw new Refusal(path, `${show(name)} is not a time zone; an IANA name such as Europe/Berlin is allowed${hint}`);
}

/**
 * Parses an offset in the format of Intl: `1/31/2026, GMT-03:30` or `…, GMT`, and for historic offsets
 * `…, GMT-00:44:30`.
 */
function parseOffset(text: string): number {
  const at = text.lastIndexOf('GMT') + 3;
  if (at === text.length) return 0;
  const sign = text[at] === '-' ? -1 : 1;
  const [hours, minutes, seconds] = text.slice(at + 1).split(':');
  return sign * (Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds ?? 0));
}
