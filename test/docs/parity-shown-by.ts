/** The test that shows each line of docs/parity.md, by its file and its name. */
export const SHOWN_BY: Record<string, Record<string, string>> = {
  'test/client/ids.test.ts': {
    'works in the workflow ID, in a URL and in the command alike': 'ScheduleOptions.scheduleId',
  },
  'test/client/temporal-calls.test.ts': {
    'is a schedule that fires when it is triggered': 'ScheduleOptions.spec',
    'are called by create, and their headers stay through updates, applied and by hand': `
      ScheduleDescription.raw ScheduleClientOptions.interceptors`,
    'has what was registered in its definition, word for word': 'ScheduleSummary.spec',
    'changes nothing with what describe returned, and keeps the words of what it leaves': `
      ScheduleUpdateOptions`,
  },
  'test/trigger/dispatch/carried.test.ts': {
    'reaches the workflow as its user gave it, with Temporal’s own client': `
      ScheduleOptions.action ScheduleOptionsStartWorkflowAction.typedSearchAttributes`,
    'is byte for byte what Temporal’s own schedule hands to its workflows': `
      ScheduleOptionsStartWorkflowAction.args ScheduleOptionsStartWorkflowAction.memo
      ScheduleOptionsStartWorkflowAction.searchAttributes ScheduleOptionsStartWorkflowAction.retry
      ScheduleOptionsStartWorkflowAction.workflowRunTimeout ScheduleOptionsStartWorkflowAction.staticDetails`,
    'says by itself what it is where no summary is set': 'ScheduleOptionsStartWorkflowAction.staticSummary',
    'stays what the user’s codec made of it, and search attributes stay readable': `
      BaseClientOptions.dataConverter`,
  },
  'test/client/client.test.ts': {
    'describes a schedule as it was given, with its next times': `
      ScheduleOptions.policies ScheduleOptions.state.note ScheduleDescription.scheduleId`,
    'reads all live schedules page by page, and those of one tenant': `
      ScheduleSummary.scheduleId ScheduleSummary.action ScheduleSummary.state ScheduleSummary.state.paused
      ScheduleSummary.state.note ScheduleSummary.info ListScheduleOptions.pageSize ScheduleClient.list`,
    'of a schedule that is not there throws Temporal’s error': `
      ScheduleClient.getHandle ScheduleNotFoundError.scheduleId`,
    'refuses an ID that is taken, with Temporal’s own error, and changes nothing': `
      ScheduleAlreadyRunning.scheduleId`,
  },
  'test/client/parity.test.ts': {
    'compiles unchanged, and means the same': `
      ScheduleOptions.policies.overlap ScheduleOptionsStartWorkflowAction.workflowType ScheduleOverlapPolicy.UNSPECIFIED
      ScheduleClient.create ScheduleHandle.scheduleId`,
    'are listed, stay where an update leaves them out, and go with an empty object': `
      ScheduleOptions.memo ScheduleOptions.searchAttributes ScheduleSummary.memo ScheduleSummary.searchAttributes
      ScheduleSummary.typedSearchAttributes`,
    'creates an equal schedule, with everything that was encoded': `
      ScheduleOptions.typedSearchAttributes ScheduleOptions.state CalendarSpec.comment ScheduleDescription.action
      ScheduleDescriptionStartWorkflowAction.taskQueue ScheduleDescriptionStartWorkflowAction.args
      ScheduleDescriptionStartWorkflowAction.memo ScheduleDescriptionStartWorkflowAction.searchAttributes
      ScheduleDescriptionStartWorkflowAction.retry ScheduleDescriptionStartWorkflowAction.workflowExecutionTimeout
      ScheduleDescriptionStartWorkflowAction.workflowRunTimeout ScheduleDescriptionStartWorkflowAction.workflowTaskTimeout
      ScheduleDescriptionStartWorkflowAction.staticSummary ScheduleDescriptionStartWorkflowAction.staticDetails
      ScheduleDescriptionStartWorkflowAction.priority ScheduleDescriptionStartWorkflowAction.typedSearchAttributes
      ScheduleDescriptionStartWorkflowAction.workflowId ScheduleSummaryStartWorkflowAction.type
      ScheduleSummaryStartWorkflowAction.workflowType ScheduleDescription.memo ScheduleDescription.searchAttributes
      ScheduleDescription.typedSearchAttributes BaseClientOptions.namespace`,
    'is created here from what Temporal’s own describe returns, and comes due at the same instants': `
      ScheduleOptionsStartWorkflowAction.workflowId ScheduleOptionsStartWorkflowAction.workflowExecutionTimeout
      ScheduleOptionsStartWorkflowAction.workflowTaskTimeout ScheduleDescription.policies ScheduleDescription.policies.overlap
      ScheduleDescription.policies.catchupWindow ScheduleDescription.policies.pauseOnFailure ScheduleDescription.state
      ScheduleDescription.state.paused ScheduleDescription.state.note ScheduleDescription.state.remainingActions`,
  },
  'test/trigger/claim/catchup.test.ts': {
    'outside of the window becomes a gap, and what is on time fires with limit 0': `
      ScheduleOptions.policies.catchupWindow`,
    'fires nothing, and its occurrences are answered by a gap when it ends': 'ScheduleOptions.state.paused',
    'fires nothing more, keeps its history, and answers for the time until its name is used again': `
      ScheduleHandle.delete`,
  },
  'test/trigger/claim/limits.test.ts': {
    'pauses the schedule when a firing fails, and says which': 'ScheduleOptions.policies.pauseOnFailure',
    'completes the schedule with its last action, and the schedule stays': `
      ScheduleOptions.state.remainingActions`,
  },
  'test/client/backfill/at-once.test.ts': {
    'fires at once and backfills where it is asked to': `
      ScheduleOptions.state.triggerImmediately ScheduleOptions.state.backfill`,
  },
  'test/client/backfill/backfill.test.ts': {
    'fills only holes, both ends inclusive: a gap is beaten, a firing never doubled': `
      Backfill.start ScheduleHandle.backfill`,
    'takes an end in the future for now: what is to come fires by itself, once': 'Backfill.end',
    'says who asked, overlaps by its own policy or the schedule’s, and names workflows as the spec does': `
      Backfill.overlap`,
  },
  'test/occurrences-server.test.ts': {
    'lists the same times for': `
      ScheduleSpec.calendars ScheduleSpec.intervals ScheduleSpec.skip ScheduleSpec.startAt ScheduleSpec.endAt ScheduleSpec.timezone
      CalendarSpec.second CalendarSpec.minute CalendarSpec.hour CalendarSpec.dayOfMonth CalendarSpec.month CalendarSpec.year
      CalendarSpec.dayOfWeek IntervalSpec.every IntervalSpec.offset Range.start Range.end Range.step`,
    'reads and describes, or refuses, the same odd expressions': 'ScheduleSpec.cronExpressions',
    'random specs, and describes them as we do': 'ScheduleDescription.spec',
  },
  'test/long/servers/parity.test.ts': {
    'register here unchanged, and come due at the same instants': 'ScheduleSpec.jitter',
  },
  'test/core/definition/fields.test.ts': {
    'is refused by its path for each wrong value': 'ScheduleOptionsStartWorkflowAction.type',
  },
  'test/trigger/dispatch/path.test.ts': {
    'starts one workflow for an occurrence, hands it its firing and records how it ended': `
      ScheduleOptionsStartWorkflowAction.taskQueue`,
  },
  'test/trigger/claim/overlap.test.ts': {
    'SKIP leaves a skipped row while the firing before is still running': 'ScheduleOverlapPolicy.SKIP',
    'BUFFER_ONE runs one more behind the running one, and skips what comes while it waits': `
      ScheduleOverlapPolicy.BUFFER_ONE`,
    'BUFFER_ALL keeps what is due and runs it one after the other, in order': `
      ScheduleOverlapPolicy.BUFFER_ALL`,
    'ALLOW_ALL fires each occurrence, whatever runs': 'ScheduleOverlapPolicy.ALLOW_ALL',
    'a manual firing may overlap unless another policy is asked for': 'ScheduleHandle.trigger',
  },
  'test/trigger/claim/overlap-interrupts.test.ts': {
    'CANCEL_OTHER cancels the running one and starts when that has ended': `
      ScheduleOverlapPolicy.CANCEL_OTHER`,
    'TERMINATE_OTHER ends the running one and starts at once': 'ScheduleOverlapPolicy.TERMINATE_OTHER',
  },
  'test/client/describe.test.ts': {
    'describe says what a schedule did by Temporal’s names': `
      ScheduleDescription.info ScheduleDescription.info.recentActions ScheduleDescription.info.numActionsTaken
      ScheduleDescription.info.numActionsMissedCatchupWindow ScheduleDescription.info.numActionsSkippedOverlap
      ScheduleDescription.info.createdAt ScheduleDescription.info.lastUpdatedAt ScheduleDescription.info.runningActions
      ScheduleExecutionResult.scheduledAt ScheduleExecutionResult.takenAt ScheduleExecutionResult.action
      ScheduleExecutionStartWorkflowActionResult.type ScheduleExecutionStartWorkflowActionResult.workflow
      ScheduleExecutionStartWorkflowActionResult.workflow.workflowId
      ScheduleExecutionStartWorkflowActionResult.workflow.firstExecutionRunId ScheduleSummary.info.recentActions
      ScheduleHandle.describe`,
    'no more next times are promised than actions remain': 'ScheduleDescription.info.nextActionTimes',
  },
  'test/client/list/list.test.ts': {
    'shows of each schedule its next five times, without what is excluded, in one read a page of what fires': `
      ScheduleSummary.info.nextActionTimes`,
  },
  'test/client/list/list-query.test.ts': {
    'lists what a filter matches, over fields, states and search attributes': 'ListScheduleOptions.query',
  },
  'test/client/update/update.test.ts': {
    'keeps a version of each definition, with who wrote it and when': 'BaseClientOptions.identity',
    'calls its function again when others changed the schedule meanwhile': 'ScheduleHandle.update',
    'pauses and unpauses without a new version': 'ScheduleHandle.pause ScheduleHandle.unpause',
  },
  'test/trigger/dispatch/previous.test.ts': {
    'leads to the last result, which a handle of the run returns': 'WorkflowInfo.lastResult',
    'tells what the one before failed with, and which one completed last': 'WorkflowInfo.lastFailure',
  },
};
