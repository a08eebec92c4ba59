import { temporal } from '@temporalio/proto';
import { grpcCodeOf, grpcStatus } from '../../temporal/errors';
import { countedWith, type Finding, some } from '../finding';
import { call, type NamespaceContext } from './context';

const WORKFLOW = temporal.api.enums.v1.TaskQueueType.TASK_QUEUE_TYPE_WORKFLOW;
const CALLS_IN_FLIGHT = 8;
/** Maximum number of task queues to check per namespace, since each needs a call. */
const ASKED_AT_MOST = 200;
/** A backlog of at least this many tasks is reported if its oldest task has waited for `BACKLOG_AGE_SECONDS`. */
const BACKLOG = 100;
const BACKLOG_AGE_SECONDS = 60;

interface TaskQueueState {
  taskQueue: string;
  schedules: number;
  pollers: number;
  backlog: number;
  backlogAgeSeconds: number;
}

export async function checkTaskQueues(at: NamespaceContext): Promise<Finding[]> {
  const asked = at.routes.slice(0, ASKED_AT_MOST);
  const states: TaskQueueState[] = [];
  for (let from = 0; from < asked.length; from += CALLS_IN_FLIGHT) {
    const answers = await Promise.all(asked.slice(from, from + CALLS_IN_FLIGHT).map((route) => stateOf(at, route)));
    states.push(...answers.flatMap((state) => state ?? []));
  }
  const unpolled = states.filter(({ pollers }) => pollers === 0);
  const behind = states.filter(
    ({ pollers, backlog, backlogAgeSeconds }) =>
      pollers > 0 && backlog >= BACKLOG && backlogAgeSeconds >= BACKLOG_AGE_SECONDS,
  );
  const { namespace } = at;
  const findings: Finding[] = [];
  if (unpolled.length > 0) {
    const schedules = unpolled.reduce((sum, one) => sum + one.schedules, 0);
    findings.push({
      id: 'no_poller',
      severity: 'critical',
      text: `No worker polls ${countedWith(unpolled.length, 'task queue', ['', '']).trim()} of namespace '${namespace}' (${some(unpolled.map(({ taskQueue }) => taskQueue))}): workflows of ${countedWith(schedules, 'schedule', ['', '']).trim()} do not begin.`,
      action: 'Start its worker, or correct the name of the task queue in the schedule.',
      runBook: 'workers',
    });
  }
  for (const { taskQueue, backlog, backlogAgeSeconds } of behind) {
    findings.push({
      id: 'backlog',
      severity: 'warning',
      text: `${backlog.toLocaleString('en')} workflow tasks wait in task queue '${taskQueue}' of namespace '${namespace}', the oldest for ${Math.round(backlogAgeSeconds)} seconds.`,
      action: 'Give it more workers, or spread the schedules that fire at once.',
      runBook: 'workers',
    });
  }
  return findings;
}

/**
 * Reads the state of a task queue; undefined if the server does not have this call, or refuses the queue's name. Alerts
 * report such a name: its schedule is set aside, or its starts become dead letters.
 */
async function stateOf(
  at: NamespaceContext,
  { taskQueue, schedules }: { taskQueue: string; schedules: number },
): Promise<TaskQueueState | undefined> {
  try {
    const { pollers, stats } = await call(at, () =>
      at.connection.workflowService.describeTaskQueue({
        ...{ namespace: at.namespace, taskQueue: { name: taskQueue }, taskQueueType: WORKFLOW, reportStats: true },
      }),
    );
    return {
      ...{ taskQueue, schedules, pollers: pollers?.length ?? 0 },
      backlog: Number(stats?.approximateBacklogCount ?? 0),
      backlogAgeSeconds: Number(stats?.approximateBacklogAge?.seconds ?? 0),
    };
  } catch (error) {
    const code = grpcCodeOf(error);
    if (code === grpcStatus.UNIMPLEMENTED || code === grpcStatus.INVALID_ARGUMENT) return undefined;
    throw error;
  }
}
