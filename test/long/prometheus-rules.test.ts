import { resolve } from 'node:path';
import { beforeAll, expect, it } from 'vitest';
import { run } from '../../provision/run';
import { ensureProgram } from '../support/servers/debian-program';

const FOLDER = resolve(__dirname, '../../ops/prometheus');
const promtool = (...args: string[]) => run('promtool', args, { cwd: FOLDER });

beforeAll(() => ensureProgram('promtool', 'prometheus'));

it('the rules, and the example that loads them, are such as Prometheus reads', async () => {
  expect(await promtool('check', 'rules', 'escapement.rules.yml')).toMatchObject({ code: 0 });
  expect(await promtool('check', 'config', 'prometheus.yml')).toMatchObject({ code: 0 });
});

it('each rule speaks where what it is about is wrong, and none where all is well', async () => {
  expect(await promtool('test', 'rules', 'escapement.rules.test.yml')).toMatchObject({ code: 0 });
});
