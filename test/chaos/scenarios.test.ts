import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { expect, it } from 'vitest';
import { planIn } from '../../chaos/journal';
import { MEMBERS } from '../../chaos/members';
import { NEMESES } from '../../chaos/nemesis';
import { PAGE } from '../../chaos/page';
import { scenarioFiles } from '../../chaos/scenario-files';

const FILES = scenarioFiles().map((file) => [basename(file), file] as const);
const FAULTS = NEMESES.map(({ name }) => name);
const TARGETS = [...MEMBERS, 'postgres', 'temporal'];

it.each(FILES)(
  'scenario %s can be replayed: its faults and their targets are known, and are over at its end',
  (_, file) => {
    const { milliseconds, schedules, faults } = planIn(file);
    expect(schedules).not.toEqual([]);
    expect(faults).not.toEqual([]);
    expect(faults.filter(({ name }) => !FAULTS.includes(name))).toEqual([]);
    expect(faults.flatMap(({ targets }) => targets).filter((target) => !TARGETS.includes(target))).toEqual([]);
    expect(faults.filter((fault) => fault.at + fault.milliseconds > milliseconds)).toEqual([]);
  },
);

it('the page names each scenario beside the error that it showed', () => {
  const page = readFileSync(PAGE, 'utf8');
  expect(FILES.map(([name]) => name).filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  expect(FILES.length).toBeGreaterThan(3);
});
