#: title   Bandwidth of :family
#: caption At :size: :message.
#:           And more.
#: each    SELECT family, size FROM metrics
#: data    SELECT 1 AS x

plot data
