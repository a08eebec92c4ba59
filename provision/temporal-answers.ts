import { Connection, type ConnectionOptions, isGrpcServiceError } from '@temporalio/client';

const NOT_FOUND = 5;
/** A company's proxy has no business between us and a server that we started on this machine. */
const WITHOUT_PROXY = { 'grpc.enable_http_proxy': 0 };

/** Whether a Temporal server answers at an address (`host:port`, without TLS) or by options within the time, by a real call. */
export async function temporalAnswers(to: string | ConnectionOptions, timeoutMilliseconds = 3_000): Promise<boolean> {
  const options = typeof to === 'string' ? { address: to } : to;
  try {
    const connection = await Connection.connect({ ...options, connectTimeout: timeoutMilliseconds });
    await connection.close();
    return true;
  } catch {
    return false;
  }
}

/**
 * Whether workflows can be started in the namespace. A server answers earlier than that: its history service still
 * loads its shard. Asking for a workflow that does not exist goes all the way through.
 */
export async function namespaceIsUsable(to: string | ConnectionOptions, namespace: string): Promise<boolean> {
  const options = typeof to === 'string' ? { address: to } : to;
  let connection: Connection | undefined;
  try {
    connection = await Connection.connect({ ...options, connectTimeout: 1_000, channelArgs: WITHOUT_PROXY });
    const { workflowService } = connection;
    await workflowService.describeNamespace({ namespace });
    const workflow = { namespace, execution: { workflowId: 'escapement-readiness-check' } };
    return await workflowService.describeWorkflowExecution(workflow).then(
      () => true,
      (error) => isGrpcServiceError(error) && Number(error.code) === NOT_FOUND,
    );
  } catch {
    return false;
  } finally {
    await connection?.close();
  }
}
