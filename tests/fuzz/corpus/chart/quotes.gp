#: title it's :family 'quoted'
#: caption c
#: each SELECT 1
#: data SELECT 2
