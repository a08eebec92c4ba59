import { z } from 'zod';

/** A container of a job, as far as a person needs it to write the workflow. */
const container = z.looseObject({
  image: z.string().optional(),
  command: z.array(z.coerce.string()).optional(),
  args: z.array(z.coerce.string()).optional(),
});

/** A CronJob, as far as it says when and how a job runs. Fields that are null are left out before. */
export const cronJobShape = z.looseObject({
  metadata: z.looseObject({ name: z.string().min(1), namespace: z.string().optional() }),
  spec: z.looseObject({
    schedule: z.string(),
    timeZone: z.string().optional(),
    concurrencyPolicy: z.enum(['Allow', 'Forbid', 'Replace']).optional(),
    startingDeadlineSeconds: z.int().min(0).optional(),
    suspend: z.boolean().optional(),
    successfulJobsHistoryLimit: z.int().optional(),
    failedJobsHistoryLimit: z.int().optional(),
    jobTemplate: z
      .looseObject({
        spec: z
          .looseObject({
            activeDeadlineSeconds: z.int().min(1).optional(),
            backoffLimit: z.int().min(0).optional(),
            template: z.looseObject({ spec: z.looseObject({ containers: z.array(container) }).optional() }).optional(),
          })
          .optional(),
      })
      .optional(),
  }),
});

export type CronJob = z.infer<typeof cronJobShape>;

/** What the command reads of `spec`; what else stands there is said to be left out. */
export const KNOWN_SPEC = Object.keys(cronJobShape.shape.spec.shape);
