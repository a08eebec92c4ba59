import { inShell } from '../../core/shell';
import { adviceOn } from '../../temporal/advice';
import { grpcCodeOf, grpcStatus, isMissing, lastErrorIn, reasonOf } from '../../temporal/errors';
import type { Finding } from '../finding';
import { call, type NamespaceContext } from './context';

/**
 * A retention is reported only if it is shorter than this, and than the longest catch-up window. The default window is
 * a year.
 */
const COVERED_AT_LEAST_SECONDS = 24 * 3_600;

/** Checks whether the namespace exists, answers, accepts the credentials, and keeps closed workflows long enough. */
export async function checkNamespace(at: NamespaceContext): Promise<Finding[]> {
  const { namespace, connection, routes } = at;
  try {
    const { config } = await call(at, () => connection.workflowService.describeNamespace({ namespace }));
    const seconds = Number(config?.workflowExecutionRetentionTtl?.seconds ?? 0);
    const window = Math.max(0, ...routes.map(({ catchupWindow }) => catchupWindow)) / 1_000;
    if (seconds === 0 || seconds >= Math.min(window, COVERED_AT_LEAST_SECONDS)) return [];
    return [
      {
        id: 'retention_short',
        severity: 'warning',
        text: `Namespace '${namespace}' forgets a closed workflow after ${inHours(seconds)}, but schedules catch up for ${inHours(window)}: for an older start whose answer was lost, Temporal can no longer say whether it ran.`,
        action: "Raise the namespace's retention to some days, or shorten the catch-up windows.",
        runBook: 'temporal-down',
      },
    ];
  } catch (error) {
    // A role may have the right to start workflows, but not the right to describe their namespace.
    const problem = grpcCodeOf(error) === grpcStatus.PERMISSION_DENIED ? await errorOfLookUp(at) : error;
    return problem === undefined ? [] : [problemOf(at, problem)];
  }
}

/**
 * The error of looking a workflow up, as triggers do; undefined if the caller may. Then Temporal finds a workflow or
 * answers that none has this ID.
 */
async function errorOfLookUp(at: NamespaceContext): Promise<unknown> {
  const { namespace, connection } = at;
  const workflow = { namespace, execution: { workflowId: 'escapement-doctor' } };
  return call(at, () => connection.workflowService.describeWorkflowExecution(workflow)).then(
    () => undefined,
    (error) => (isMissing(error) ? undefined : error),
  );
}

export function problemOf(
  { namespace, options }: Pick<NamespaceContext, 'namespace' | 'options'>,
  error: unknown,
): Finding {
  const code = grpcCodeOf(error);
  const reason = lastErrorIn(reasonOf(error)) ?? reasonOf(error);
  const toDo = adviceOn(error, options)?.toDo ?? 'check that Temporal is running and that TEMPORAL_ADDRESS is right';
  if (code === grpcStatus.NOT_FOUND) {
    return {
      id: 'namespace_missing',
      severity: 'critical',
      text: `Temporal has no namespace '${namespace}': nothing is started there.`,
      action: `Register it again. 'escapement schedule list --namespace ${inShell(namespace)}' lists its schedules.`,
      runBook: 'temporal-down',
    };
  }
  if (code === grpcStatus.PERMISSION_DENIED || code === grpcStatus.UNAUTHENTICATED) {
    return {
      id: 'credentials',
      severity: 'critical',
      text: `Temporal does not accept the credentials for namespace '${namespace}': ${reason}.`,
      action: "Renew the key or certificate in Temporal's configuration, and restart the triggers that use it.",
      runBook: 'temporal-down',
    };
  }
  return {
    id: 'temporal_unreachable',
    severity: 'critical',
    text: `Namespace '${namespace}' cannot be checked: ${reason}.`,
    action: `${toDo[0]!.toUpperCase()}${toDo.slice(1)}. If the namespace has its own profile, check the profile.`,
    runBook: 'temporal-down',
  };
}

function inHours(seconds: number): string {
  const hours = seconds / 3_600;
  return hours % 24 === 0 ? `${hours / 24} days` : `${Number(hours.toFixed(1))} hours`;
}
