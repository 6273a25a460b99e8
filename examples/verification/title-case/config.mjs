/** Where the headings of the last month are kept. */
export const archive = { region: 'eu-central-1', accessKeyId: 'AKIAJOOR5W2RW6VMRADY' };
