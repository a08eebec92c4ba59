import { Command } from 'commander';
import { expect, it } from 'vitest';
import { triggerOptionsOf, withTriggerFlags } from '../../cli/options/trigger-flags';
import { DEFAULTS } from '../../core/defaults';
import { limitsOf, TRIGGER_FIELDS } from '../../trigger/options';
import { runCommand } from '../support/processes/command';

const parse = (...args: string[]) =>
  triggerOptionsOf(withTriggerFlags(new Command()).exitOverride().parse(args, { from: 'user' }).opts());

it('escapement run takes every number and duration that a trigger takes, and the trigger goes by it', () => {
  const options = parse(
    ...['--starts-in-flight', '8', '--pre-start-cap', '0', '--refused-at-most', '2 hours', '--cancel-wait', '90s'],
    ...[
      '--stalled-after',
      '5 minutes',
      '--namespace-starts-per-second',
      'a=5',
      '--task-queue-starts-per-second',
      'b=0.5',
    ],
  );
  expect(options.maxStartsPerSecond).toEqual({ namespaces: { a: 5 }, taskQueues: { b: 0.5 } });
  expect(limitsOf(options)).toMatchObject({
    startsInFlight: 8,
    preStartCapMilliseconds: 0,
    refusedAtMostMilliseconds: 7_200_000,
    cancelWaitMilliseconds: 90_000,
    stalledAfterMilliseconds: 300_000,
  });
  expect(limitsOf(parse())).toMatchObject(DEFAULTS.trigger);
  const named = Object.keys(DEFAULTS.trigger).map((name) => name.replace('Milliseconds', ''));
  expect(Object.keys(options).sort()).toEqual([...named, 'maxStartsPerSecond'].sort());
  expect(Object.keys(TRIGGER_FIELDS)).toEqual(expect.arrayContaining(named));
});

it('escapement run says of each flag that it cannot be, and of one that there is not', async () => {
  const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:1/none' };
  for (const [flag, value, said] of [
    ['--starts-in-flight', '0', 'use a whole number from 1 to 10000.'],
    ['--pre-start-cap', 'soon', 'preStartCap: "soon" is not a duration'],
    ['--refused-at-most', '0', 'refusedAtMost: "0" is not a duration'],
    ['--cancel-wait', '-1s', 'cancelWait: "-1s" is not a duration'],
    ['--stalled-after', 'never', 'stalledAfter: "never" is not a duration'],
    ['--task-queue-starts-per-second', 'mail', 'give a name and a number above 0'],
    ['--batch-size', '5', "unknown option '--batch-size=5'"],
  ] as const) {
    const refused = await runCommand(['run', `${flag}=${value}`], env);
    expect([refused.code === 0, refused.stderr]).toEqual([false, expect.stringContaining(said)]);
  }
});
