import type { ConnectionOptions } from '@temporalio/client';
import { expect, inject, it } from 'vitest';
import { checkTemporal } from '../../doctor/temporal/check-temporal';
import type { RouteInUse } from '../../store/doctor/schedules';
import { refusing } from '../support/failures/refusing';

const PERMISSION_DENIED = 7;
const UNAVAILABLE = 14;
const route: RouteInUse = {
  ...{ namespace: 'default', taskQueue: 'nobody-polls-it', catchupWindow: 60_000 },
  ...{ schedules: 1, firing: 1 },
};

/** What doctor finds of a schedule whose task queue nobody polls, as a role that may not make some calls. */
async function foundWithout(calls: RegExp): Promise<string[]> {
  return found(refusing(inject('temporalAddress'), PERMISSION_DENIED, (method) => calls.test(method)));
}

async function found(connection: ConnectionOptions): Promise<string[]> {
  const servers = { connection, namespaces: {}, namespace: 'default' };
  const findings = await checkTemporal(servers, { routes: [route], attributes: [] });
  return findings.map(({ id }) => id);
}

it('a role that may not describe its namespace is no problem if it may look workflows up, as triggers do', async () => {
  expect(await foundWithout(/^DescribeNamespace$/)).toEqual(['no_poller']);
  expect(await foundWithout(/^Describe(Namespace|TaskQueue)$/)).toEqual(['check_failed']);
  expect(await foundWithout(/^Describe/)).toEqual(['credentials']);
});

it('a role that may not describe its namespace is not said to lack rights if Temporal is away as it looks a workflow up', async () => {
  const address = inject('temporalAddress');
  const denying = refusing(address, PERMISSION_DENIED, (method) => method === 'DescribeNamespace');
  const away = refusing(address, UNAVAILABLE, (method) => method === 'DescribeWorkflowExecution');
  const interceptors = [...denying.interceptors!, ...away.interceptors!];
  expect(await found({ address, interceptors })).toEqual(['temporal_unreachable']);
});
