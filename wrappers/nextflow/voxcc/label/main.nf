// Made by: tests/help/wrappers_test.py --update
process VOXCC_LABEL {
    tag "${meta.id}"
    label 'process_medium'

    input:
    tuple val(meta), path(image), path(threshold_from), path(mask), path(intensity)

    output:
    tuple val(meta), path("${prefix}_labels.nii.gz"), emit: labels, optional: true
    tuple val(meta), path("${prefix}_masked_output.nii.gz"), emit: masked_output, optional: true
    tuple val(meta), path("${prefix}_size_output.nii.gz"), emit: size_output, optional: true
    tuple val(meta), path("${prefix}_mask_output.nii.gz"), emit: mask_output, optional: true
    tuple val(meta), path("${prefix}_table.tsv"), emit: table, optional: true
    tuple val(meta), path("${prefix}_volumes.tsv"), emit: volumes, optional: true
    tuple val(meta), path("${prefix}_contacts.tsv"), emit: contacts, optional: true
    tuple val(meta), path("${prefix}_summary.json"), emit: summary, optional: true
    tuple val(meta), path("${prefix}_preview.png"), emit: preview, optional: true
    tuple val(meta), path("${prefix}_colours.txt"), emit: colours, optional: true
    tuple val(meta), path("${prefix}_local_maxima.tsv"), emit: local_maxima, optional: true
    path "versions.yml", emit: versions

    when:
    task.ext.when == null || task.ext.when

    script:
    def args = task.ext.args ?: ''
    prefix = task.ext.prefix ?: "${meta.id}"
    def threshold_from_argument = threshold_from ? "--threshold-from ${threshold_from}" : ''
    def mask_argument = mask ? "--mask ${mask}" : ''
    def intensity_argument = intensity ? "--intensity ${[intensity].flatten().join(' --intensity ')}" : ''
    def memory_argument = task.memory ? "--max-memory ${task.memory.toMega()}MB" : ''
    def flags = [
        labels: "--output '${prefix}_labels.nii.gz'",
        masked_output: "--masked-output '${prefix}_masked_output.nii.gz'",
        size_output: "--size-output '${prefix}_size_output.nii.gz'",
        mask_output: "--mask-output '${prefix}_mask_output.nii.gz'",
        table: "--stats '${prefix}_table.tsv'",
        volumes: "--summary '${prefix}_volumes.tsv'",
        contacts: "--contacts '${prefix}_contacts.tsv'",
        summary: "--json '${prefix}_summary.json'",
        preview: "--preview '${prefix}_preview.png'",
        colours: "--lut '${prefix}_colours.txt'",
        local_maxima: "--local-maxima '${prefix}_local_maxima.tsv'",
    ]
    def outputs = (task.ext.outputs ?: ['labels', 'table', 'summary']).collect { name -> flags[name] }.join(' ')
    """
    voxcc label ${image} ${threshold_from_argument} ${mask_argument} ${intensity_argument} ${args} \\
        ${outputs} \\
        --threads ${task.cpus} ${memory_argument} --progress never

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        voxcc: \$(voxcc --version | sed -n '1s/voxcc //p')
    END_VERSIONS
    """

    stub:
    prefix = task.ext.prefix ?: "${meta.id}"
    """
    touch '${prefix}_labels.nii.gz' '${prefix}_table.tsv' '${prefix}_summary.json'

    cat <<-END_VERSIONS > versions.yml
    "${task.process}":
        voxcc: \$(voxcc --version | sed -n '1s/voxcc //p')
    END_VERSIONS
    """
}
