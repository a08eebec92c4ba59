declare const client: import('@temporalio/client').Client;
declare const activities: { resultOf(workflowId: string, runId?: string): Promise<unknown> };
