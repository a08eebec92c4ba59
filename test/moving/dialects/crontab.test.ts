import { expect, it } from 'vitest';
import { nextOccurrences } from '../../../core/occurrences';
import { readCrontab } from '../../../moving/dialects/crontab';

const CRONTAB = `
# backups
SHELL=/bin/bash
MAILTO="ops@example.com"
0 2 * * 1-5   /usr/local/bin/backup.sh --full /data
CRON_TZ=Europe/Berlin
*/15 * * * *  cd /srv/app && ./sync.py >> /var/log/sync.log 2>&1
@daily        flock -n /tmp/report.lock /opt/report
30 4 */2 * 7  /opt/odd-days
~ 3 * * *     /opt/report
@reboot       /opt/start
0 25 * * *    /opt/never
nonsense
0 5 * * *
@fortnightly  /opt/x
`;

it('reads jobs, zones and names, and lists by line what it cannot read', () => {
  const { found, problems } = readCrontab(CRONTAB);
  expect(found.map(({ schedule }) => [schedule.scheduleId, schedule.spec, schedule.policies?.overlap])).toEqual([
    ['backup', { cron: '0 2 * * 1-5' }, 'ALLOW_ALL'],
    ['sync', { cron: '*/15 * * * *', timezone: 'Europe/Berlin' }, 'ALLOW_ALL'],
    ['report', { cron: '@daily', timezone: 'Europe/Berlin' }, 'SKIP'],
    ['odd-days', { cronExpressions: ['30 4 */2 * 0'], timezone: 'Europe/Berlin' }, 'ALLOW_ALL'],
    ['report-2', { cron: 'H 3 * * *', timezone: 'Europe/Berlin' }, 'ALLOW_ALL'],
  ]);
  expect(found[0]!.schedule.action).toMatchObject({
    workflowType: 'backup',
    args: ['/usr/local/bin/backup.sh --full /data'],
  });
  expect(problems.map(({ where }) => where)).toEqual(['line 11', 'line 12', 'line 13', 'line 14', 'line 15']);
  expect(problems.map(({ problem }) => problem).join('\n')).toMatch(
    /@reboot: is no time.*\n.*hour "25" is not allowed.*\n'nonsense' is no job.*\n.*\n@fortnightly: is no macro/,
  );
});

it('says what each line became, and what is to be decided', () => {
  const { found } = readCrontab(CRONTAB);
  const [backup, app] = found;
  expect(backup!.where).toBe('line 5: 0 2 * * 1-5 /usr/local/bin/backup.sh --full /data');
  expect(backup!.decide.join('\n')).toMatch(/zone of its machine/);
  expect(backup!.decide.join('\n')).toMatch(/MAILTO=ops@example.com/);
  expect(backup!.decide.join('\n')).toMatch(/SHELL=\/bin\/bash/);
  expect(app!.became).toContain('CRON_TZ=Europe/Berlin -> spec.timezone');
  expect(app!.decide.join('\n')).not.toMatch(/zone of its machine/);
});

it('lets both day fields match where cron does, and either where cron does', () => {
  const times = (line: string) => {
    const { spec } = readCrontab(`${line} /opt/x`).found[0]!.schedule;
    return nextOccurrences(spec, { after: new Date('2026-11-01T12:00:00Z'), count: 4 }).map((date) =>
      date.toISOString().slice(5, 10),
    );
  };
  // Sundays on odd days.
  expect(times('0 0 */2 * 7')).toEqual(['11-15', '11-29', '12-13', '12-27']);
  expect(times('0 0 */2 * 6-7')).toEqual(['11-07', '11-15', '11-21', '11-29']);
  // No cron takes a range that goes down.
  expect(readCrontab('0 0 */2 * sat-sun /opt/x').problems).toHaveLength(1);
  // The 13th, and each Friday.
  expect(times('0 0 13 * FRI')).toEqual(['11-06', '11-13', '11-20', '11-27']);
  expect(times('0 0 * * */3')).toEqual(['11-04', '11-07', '11-08', '11-11']);
});

it('reads a system crontab with its users', () => {
  const { found, problems } = readCrontab(
    '0 2 * * *\troot\ttest -x /usr/bin/rotate && /usr/bin/rotate\n0 3 * * * root',
    {
      system: true,
      timeZone: 'Asia/Tokyo',
      taskQueue: 'nights',
    },
  );
  expect(found[0]!.schedule).toMatchObject({
    scheduleId: 'rotate',
    spec: { timezone: 'Asia/Tokyo' },
    action: { taskQueue: 'nights', args: ['test -x /usr/bin/rotate && /usr/bin/rotate'] },
  });
  expect(found[0]!.decide).toContain('it ran as the user root');
  expect(problems).toEqual([{ where: 'line 2', problem: "'0 3 * * * root' has no user and command" }]);
});

it('lists a zone that there is not, and goes on', () => {
  const { found, problems } = readCrontab('CRON_TZ=Europe/Belin\n0 2 * * * /opt/a\nCRON_TZ=UTC\n0 2 * * * /opt/b');
  expect(found.map(({ schedule }) => schedule.scheduleId)).toEqual(['b']);
  expect(problems[0]!.problem).toMatch(/spec\.timezone: .*Europe\/Berlin/);
});

it.each(['0 0 1 * */0', '0 0 */2 * 1-5/0'])('names a line with a step of 0, and goes on: %s', (expression) => {
  const { found, problems } = readCrontab(`${expression} /opt/a\n0 2 * * * /opt/b`);
  expect(found.map(({ schedule }) => schedule.scheduleId)).toEqual(['b']);
  expect(problems).toMatchObject([{ where: 'line 1' }]);
});

it('a job that never fires is left out, since apply would refuse the whole list for its sake', () => {
  const { found, problems } = readCrontab('0 0 31 2 * /opt/never\n0 2 * * * /opt/b');
  expect(found).toHaveLength(1);
  expect(problems).toEqual([
    { where: 'line 1: 0 0 31 2 * /opt/never', problem: expect.stringMatching(/^spec: names no time to come/) },
  ]);
});

it('gives the workflow the command that cron ran, and names it after the program', () => {
  const argsOf = (command: string) => {
    const [job] = readCrontab(`0 3 * * * ${command}`).found;
    return {
      args: job!.schedule.action.args,
      isAsked: job!.decide.some((line) => line.startsWith('% in the command')),
    };
  };
  expect(argsOf('dump > "db-$(date +\\%F)"')).toEqual({ args: ['dump > "db-$(date +%F)"'], isAsked: false });
  const nameOf = (command: string) => readCrontab(`0 3 * * * ${command}`).found[0]!.schedule.scheduleId;
  expect(['cd -P /srv/app && ./sync', 'cd "/srv/my app"; ./sync', 'cd /srv/app'].map(nameOf)).toEqual([
    ...['sync', 'sync', 'cd'],
  ]);
  expect(argsOf('mail ops%hello')).toEqual({ args: ['mail ops%hello'], isAsked: true });
});
