import { describe, expect, it } from 'vitest';
import { InvalidScheduleError, UnknownTimeZoneError } from '../../../../core/errors';
import { listedZone, zoneNamed } from '../../../../core/occurrences/zones/zones';
import { secondOf } from './clock';

/** Names that people use, and that no engine lists all of. */
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

/** Does something as on an engine whose Intl is another one. */
function withEngine(other: Record<string, unknown>, work: () => void): void {
  const own = Object.fromEntries(Object.keys(other).map((key) => [key, Intl[key as 'DateTimeFormat']]));
  Object.assign(Intl, other);
  try {
    work();
  } finally {
    Object.assign(Intl, own);
  }
}

describe('a zone', () => {
  it('is kept once, however its name is spelled: callers from outside choose the spelling', () => {
    const names = ['Africa/Asmera', 'africa/asmera', 'AFRICA/Asmera'];
    expect(new Set(names.map((name) => zoneNamed(name, 'timezone'))).size).toBe(1);
    expect(new Set(['UTC', 'utc', ''].map((name) => zoneNamed(name, 'timezone'))).size).toBe(1);
  });

  it('is UTC if it has no name, or an empty one', () => {
    for (const name of [undefined, '']) expect(zoneNamed(name, 'timezone')).toBe(zoneNamed('UTC', 'timezone'));
    expect(zoneNamed(undefined, 'timezone').name).toBe('UTC');
  });

  it.each(['UTC', 'utc', 'Etc/UTC', 'etc/utc', 'ETC/UTC'])('is fixed if it is UTC: %s', (name) => {
    expect(zoneNamed(name, 'timezone').isFixed).toBe(true);
    expect(zoneNamed(name, 'timezone').offset(0)).toBe(0);
  });

  it.each(['Europe/London', 'Europe/Berlin', 'GMT', 'Etc/GMT+5'])('is not fixed if it is another one: %s', (name) => {
    expect(zoneNamed(name, 'timezone').isFixed).toBe(false);
  });

  it.each([
    ['Europe/London in winter', 'Europe/London', '2026-01-01T00:00:00Z', 0],
    ['Europe/London in summer', 'Europe/London', '2026-07-01T00:00:00Z', 3600],
    ['Europe/London from 1968 to 1971', 'Europe/London', '1970-01-01T00:00:00Z', 3600],
    ['Greenwich', 'GMT', '2026-07-01T00:00:00Z', 0],
    ['Tokyo', 'Asia/Tokyo', '2026-07-01T00:00:00Z', 9 * 3600],
    ['the farthest east', 'Pacific/Kiritimati', '2026-07-01T00:00:00Z', 14 * 3600],
    ['the farthest west', 'Etc/GMT+12', '2026-07-01T00:00:00Z', -12 * 3600],
    ['a half hour east', 'Asia/Kathmandu', '1980-01-01T00:00:00Z', 5.5 * 3600],
    ['three quarters east', 'Asia/Kathmandu', '2026-01-01T00:00:00Z', 5.75 * 3600],
    ['a half hour west', 'America/St_Johns', '2026-01-01T00:00:00Z', -3.5 * 3600],
    ['a half hour west in summer', 'America/St_Johns', '2026-07-01T00:00:00Z', -2.5 * 3600],
    ['seconds west', 'Africa/Monrovia', '1971-06-01T00:00:00Z', -(44 * 60 + 30)],
    ['no seconds any more', 'Africa/Monrovia', '1973-01-01T00:00:00Z', 0],
  ])('has the offset of its clock, in seconds: %s', (_, name, instant, offset) => {
    expect(zoneNamed(name, 'timezone').offset(secondOf(instant))).toBe(offset);
  });

  it('changes at the second at which its clock did: Monrovia gave up its 44 minutes and a half in 1972', () => {
    const zone = zoneNamed('Africa/Monrovia', 'timezone');
    const change = secondOf('1972-01-07T00:44:30Z');
    expect([change - 1, change].map((second) => zone.offset(second))).toEqual([-2670, 0]);
  });
});

describe('a name that is no zone', () => {
  const allowed = 'is not a time zone; an IANA name such as Europe/Berlin is allowed';

  it.each<[what: string, name: unknown, problem: string]>([
    ['a word', 'Xyzzy-Plugh-Frobozz', `"Xyzzy-Plugh-Frobozz" ${allowed}`],
    ['an offset, which only newer engines accept', '+05:00', `"+05:00" ${allowed}`],
    ['a space in front', ' Europe/Berlin', `" Europe/Berlin" ${allowed}; did you mean Europe/Berlin?`],
    ['a misspelled name', 'Europe/Belin', `"Europe/Belin" ${allowed}; did you mean Europe/Berlin?`],
    ['a misspelled name that engines do not list', 'US/Pacfic', `"US/Pacfic" ${allowed}; did you mean US/Pacific?`],
    ['a number', 7, `7 ${allowed}`],
    ['an object', { name: 'UTC' }, `{"name":"UTC"} ${allowed}`],
    ['null', null, `null ${allowed}`],
    ['a list of UTC', ['UTC'], `["UTC"] ${allowed}`],
    ['a list of a zone that is known', ['Asia/Tokyo'], `["Asia/Tokyo"] ${allowed}`],
  ])('is refused by its path, each time: %s', (_, name, problem) => {
    zoneNamed('Asia/Tokyo', 'spec.timezone');
    for (const path of ['spec.timezone', 'end']) {
      const refused = () => zoneNamed(name as string, path);
      expect(refused).toThrow(InvalidScheduleError);
      expect(refused).toThrow(expect.objectContaining({ path, problem }));
    }
  });

  it('may be known to other processes if it is a name, and not otherwise', () => {
    expect(() => zoneNamed('Xyzzy-Plugh-Frobozz', 'zone')).toThrow(UnknownTimeZoneError);
    for (const name of ['+05:00', ' UTC', 7, null, ['UTC']]) {
      expect(() => zoneNamed(name as string, 'zone')).not.toThrow(UnknownTimeZoneError);
    }
  });

  it('hides no other error of the engine', () => {
    const broken = class extends Intl.DateTimeFormat {
      constructor() {
        super();
        throw new TypeError('not the fault of the name');
      }
    };
    // Zones are kept, so no other test may use this one.
    const refused = () => zoneNamed('Indian/Mahe', 'timezone');
    withEngine({ DateTimeFormat: broken }, () => expect(refused).toThrow('not the fault of the name'));
    expect(zoneNamed('Indian/Mahe', 'timezone').offset(0)).toBe(4 * 3600);
  });

  it.each(ALIASES)('is told the one that was meant, though the engine does not list it: %s', (name) => {
    withEngine({ supportedValuesOf: () => [] }, () => {
      expect(() => zoneNamed(`${name}x`, 'timezone')).toThrow(`is allowed; did you mean ${name}?`);
    });
  });
});

it('an engine may write GMT alone for an offset of zero', () => {
  const older = class extends Intl.DateTimeFormat {
    override format(): string {
      return '1/31/2026, GMT';
    }
  };
  // Zones are kept, and this one has this offset on every engine.
  withEngine({ DateTimeFormat: older }, () => expect(zoneNamed('Etc/Greenwich', 'timezone').offset(0)).toBe(0));
});

describe('the listed form of a zone’s name', () => {
  it.each(['Europe/Berlin', ...ALIASES])('has the case that people use, on every engine, and is a zone: %s', (name) => {
    for (const written of [name, name.toLowerCase(), name.toUpperCase()]) expect(listedZone(written)).toBe(name);
    expect(zoneNamed(name, 'timezone').offset(0)).toBeTypeOf('number');
  });

  it.each([
    ['a name that is not listed', 'Mars/Base'],
    ['an empty name', ''],
    ['no name', undefined],
    ['null', null],
    ['a number', 7],
  ])('leaves as it is: %s', (_, name) => {
    expect(listedZone(name)).toBe(name);
  });
});
